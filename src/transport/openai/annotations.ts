import type { Citation } from '#core/chat.ts';

/** Where the text refers to a source is told where that can be seen, and 0 elsewhere. */
export function annotationsOf(text: string, citations: readonly Citation[]) {
  return citations.map(({ title, url, mark }) => {
    const sign = mark === undefined ? '' : `[${mark}]`;
    const found = sign === '' ? -1 : text.indexOf(sign);
    const start = Math.max(0, found);
    return {
      type: 'url_citation',
      url_citation: {
        url,
        title,
        start_index: start,
        end_index: found === -1 ? 0 : start + sign.length,
      },
    };
  });
}

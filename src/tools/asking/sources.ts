import type { Citation } from '#core/chat.ts';
import { oneLine } from '#core/one-line.ts';

const MAX_TITLE_CHARS = 200;
const MAX_URL_CHARS = 2_048;

/** The sources of an answer as a numbered list under it; nothing when there are none. */
export function sourceList(citations: readonly Citation[]): string {
  if (citations.length === 0) return '';
  const lines = citations.map((citation, index) => `${index + 1}. ${sourceWords(citation)}`);
  return `\n\nSources:\n${lines.join('\n')}`;
}

function sourceWords({ title, url, mark, date }: Citation): string {
  const name = oneLine(title, MAX_TITLE_CHARS).trim();
  const when = date === undefined || date === '' ? '' : ` (${oneLine(date, 40)})`;
  // The text speaks of it by its mark, so the list must, too.
  const sign = mark === undefined || mark === '' ? '' : `[${oneLine(mark, 40)}] `;
  const address = oneLine(url, MAX_URL_CHARS);
  return `${sign}${[name, address].filter((each) => each !== '').join(' – ')}${when}`;
}

/** A source in the envelope; how it is found, not what it says. */
export function sourceContent({ title, url, mark, date }: Citation) {
  return {
    title,
    url,
    ...(mark !== undefined && { mark }),
    ...(date !== undefined && { date }),
  };
}

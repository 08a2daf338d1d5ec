import type { ReadDocument } from '#core/extract/document.ts';

/** Characters that are passed between threads at once; more would hold up the event loop. */
const SLICE_CHARS = 512 * 1024;
const SLICES_AT_ONCE = 1000;

/** A document without most of its text if that is large; it follows in batches of slices. */
export interface DetachedDocument {
  readonly document: ReadDocument;
  /** Slices of the detached texts, in the order of `large`. */
  readonly batches: readonly (readonly string[])[];
  readonly large: readonly LargeText[];
}

/** A text that was taken out: of a part, or of the web page. */
export interface LargeText {
  readonly of: 'markdown' | 'text' | number;
  readonly slices: number;
}

export function detachTexts(document: ReadDocument): DetachedDocument {
  const slices: string[] = [];
  const large: LargeText[] = [];
  let kept = 0;
  const take = (text: string, of: LargeText['of']): string => {
    if (kept + text.length <= SLICE_CHARS) {
      kept += text.length;
      return text;
    }
    const before = slices.length;
    for (let at = 0; at < text.length; at += SLICE_CHARS)
      slices.push(text.slice(at, at + SLICE_CHARS));
    large.push({ of, slices: slices.length - before });
    return '';
  };
  const parts = document.parts.map((part, at) => ({ ...part, markdown: take(part.markdown, at) }));
  const { page } = document;
  const lightPage = page && {
    ...page,
    markdown: take(page.markdown, 'markdown'),
    text: take(page.text, 'text'),
  };
  return {
    document: { ...document, parts, ...(lightPage && { page: lightPage }) },
    batches: batchesOf(slices),
    large,
  };
}

function batchesOf(slices: readonly string[]): string[][] {
  const batches: string[][] = [];
  let chars = 0;
  for (const slice of slices) {
    const batch = batches.at(-1);
    chars += slice.length;
    if (batch !== undefined && chars <= SLICE_CHARS && batch.length < SLICES_AT_ONCE) {
      batch.push(slice);
      continue;
    }
    batches.push([slice]);
    chars = slice.length;
  }
  return batches;
}

/** Puts the texts back in. */
export function attachTexts(
  document: ReadDocument,
  large: readonly LargeText[],
  slices: readonly string[],
): ReadDocument {
  if (large.length === 0) return document;
  const texts = new Map<LargeText['of'], string>();
  let at = 0;
  for (const { of, slices: count } of large) {
    texts.set(of, slices.slice(at, at + count).join(''));
    at += count;
  }
  const { page } = document;
  return {
    ...document,
    parts: document.parts.map((part, index) => {
      const markdown = texts.get(index);
      return markdown === undefined ? part : { ...part, markdown };
    }),
    ...(page && {
      page: {
        ...page,
        markdown: texts.get('markdown') ?? page.markdown,
        text: texts.get('text') ?? page.text,
      },
    }),
  };
}

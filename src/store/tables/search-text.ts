// Scripts without spaces: each character is a word, so that any part of a sentence can be found.
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+`, 'gu');
const RUN = /[\p{L}\p{N}]+/gu;
const MAX_TERMS = 16;
const SNIPPET_BEFORE = 40;
const SNIPPET_CHARS = 160;

/** Splits a text into words, the same for both stores: lower case, without accents. */
export function toWords(text: string): string[] {
  return fold(text).match(WORD) ?? [];
}

/** The terms of a query: each is a phrase of adjacent words, and all must match. */
export function toTerms(query: string): string[][] {
  return (fold(query).match(RUN) ?? []).slice(0, MAX_TERMS).map(toWords);
}

/** The text around the first match of a query word as typed. */
export function searchSnippet(text: string, query: string): string {
  const lower = text.toLowerCase();
  let first = text.length;
  for (const run of (query.toLowerCase().match(RUN) ?? []).slice(0, MAX_TERMS)) {
    const place = lower.indexOf(run);
    if (place >= 0) first = Math.min(first, place);
  }
  const from = first === text.length ? 0 : Math.max(0, first - SNIPPET_BEFORE);
  const cut = text
    .slice(from, from + SNIPPET_CHARS)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .trim();
  return `${from > 0 ? '…' : ''}${cut}${from + SNIPPET_CHARS < text.length ? '…' : ''}`;
}

const ASCII = /^\p{ASCII}*$/u;

/** Whether a text is ASCII, which SQLite's tokenizer splits the same way. */
export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .normalize('NFKC')
    .toLowerCase();
}

// Scripts written without spaces: each of their characters is a word, so any part of a sentence can be found.
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+`, 'gu');
const RUN = /[\p{L}\p{N}]+/gu;
const MAX_TERMS = 16;
const SNIPPET_BEFORE = 40;
const SNIPPET_CHARS = 160;

/** The words of a text, cut alike for both stores: lower case, without accents. */
export function toWords(text: string): string[] {
  return fold(text).match(WORD) ?? [];
}

/** What a query asks for: each term is a phrase of neighbouring words, and all terms must be found. */
export function toTerms(query: string): string[][] {
  return (fold(query).match(RUN) ?? []).slice(0, MAX_TERMS).map(toWords);
}

/** The text around the first place where a word of the query stands as it was typed. */
export function snippet(text: string, query: string): string {
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

/** Such text needs no cutting where the engine itself cuts at spaces and signs. */
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

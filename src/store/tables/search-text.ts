import { cutCharacters, foldText } from '#core/text/cut-words.ts';

const RUN = /[\p{L}\p{N}]+/gu;
const MAX_TERMS = 16;
const SNIPPET_BEFORE = 40;
const SNIPPET_CHARS = 160;

/** The terms of a query: each is a phrase of adjacent words, and all must match. */
export function toTerms(query: string): string[][] {
  return (foldText(query).match(RUN) ?? []).slice(0, MAX_TERMS).map(cutCharacters);
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

import { relatedTerms } from '#core/text/related-words.ts';
import { queryTerms, searchTerms } from '#core/text/search-terms.ts';
import { stemEnglish } from '#core/text/stem-english.ts';
import { REQUEST_WORDS } from '#core/text/stop-words.ts';
import { FIELDS, type ToolDocument } from './tool-document.ts';

const SHOWN: Readonly<Record<(typeof FIELDS)[number], string>> = {
  name: 'name',
  server: 'server',
  title: 'name',
  description: 'description',
  argumentNames: 'arguments',
  argumentTexts: 'arguments',
  keywords: 'description',
};
const MAX_WORDS = 5;
const WORD = /[\p{L}\p{N}]+/gu;
const REQUEST_TERMS: ReadonlySet<string> = new Set([...REQUEST_WORDS].map(stemEnglish));

/** Why a document was found: `email, send in its name; recipient in its arguments`. */
export function explainMatch(text: string, document: ToolDocument): string {
  const terms = new Set(queryTerms(text).map(({ term }) => term));
  const found = new Map<string, string[]>();
  const left = new Map(
    wordsOf(text).filter(([term]) => terms.has(term) && !REQUEST_TERMS.has(term)),
  );
  for (const field of FIELDS) {
    const own = new Set(searchTerms(document[field]));
    for (const [term, word] of left) {
      if (!own.has(term)) continue;
      left.delete(term);
      const words = found.get(SHOWN[field]) ?? [];
      found.set(SHOWN[field], [...words, word]);
    }
  }
  const near = [...left].filter(([term]) => isNear(term, document)).map(([, word]) => word);
  const parts = [...found].map(([place, words]) => `${listed(words)} in its ${place}`);
  if (near.length > 0) parts.push(`words about ${listed(near)}`);
  return parts.join('; ');
}

/** The words of a text by their terms; of scripts without spaces the pairs. */
function wordsOf(text: string): (readonly [string, string])[] {
  const words = (text.match(WORD) ?? []).flatMap((word) =>
    searchTerms(word).map(
      (term) => [term, term.length === 2 && word.length > 2 ? term : word] as const,
    ),
  );
  return words.filter(([term]) => Array.from(term).length > 1);
}

function isNear(term: string, document: ToolDocument): boolean {
  const own = new Set(searchTerms(`${document.name} ${document.title} ${document.description}`));
  return relatedTerms(term).some((related) => own.has(related.term));
}

function listed(words: readonly string[]): string {
  return [...new Set(words)].slice(0, MAX_WORDS).join(', ');
}

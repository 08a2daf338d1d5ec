import { isKnownWord } from '#core/text/subjects/subjects.ts';
import { searchTerms } from '#core/text/search-terms.ts';
import { QUERY_STOP_WORDS } from '#core/text/stop-words.ts';
import { FIELDS, type ToolDocument } from './tool-document.ts';

interface FieldWeight {
  readonly weight: number;
  /** How much a long field counts less: 0 not at all, 1 by its length. */
  readonly lengthShare: number;
  /** Terms that such a field usually has. A constant, so that one tool does not change the others. */
  readonly usualLength: number;
}

export type FieldWeights = readonly FieldWeight[];

/** In the order of `FIELDS`. */
export const FIELD_WEIGHTS: FieldWeights = [
  { weight: 2, lengthShare: 0.3, usualLength: 4 },
  { weight: 1, lengthShare: 0.3, usualLength: 2 },
  { weight: 1.5, lengthShare: 0.3, usualLength: 4 },
  { weight: 1, lengthShare: 0.75, usualLength: 24 },
  { weight: 0.4, lengthShare: 0.75, usualLength: 6 },
  { weight: 0.3, lengthShare: 0.75, usualLength: 40 },
  { weight: 1, lengthShare: 0.3, usualLength: 8 },
];

/** How soon further occurrences of a term stop counting. */
export const SATURATION = 0.55;

export interface DocumentTerms {
  /** How much a document is about each of its terms, between 0 and 1. */
  readonly weights: ReadonlyMap<string, number>;
  readonly server: string;
  /** Digests of the pairs of terms that follow each other, sorted. */
  readonly pairs: Uint32Array;
  /** The distinct terms of its name. */
  readonly name: readonly string[];
  /** The distinct terms of its description that say something. */
  readonly description: readonly string[];
}

export function documentTerms(
  document: ToolDocument,
  fields: FieldWeights = FIELD_WEIGHTS,
  saturation = SATURATION,
): DocumentTerms {
  const weights = new Map<string, number>();
  const pairs = new Set<number>();
  for (const [at, { weight, lengthShare, usualLength }] of fields.entries()) {
    const field = FIELDS[at];
    if (field === undefined) continue;
    const terms = searchTerms(document[field]);
    if (field === 'name') terms.push(...partsOf(document));
    const each = weight / (1 - lengthShare + (lengthShare * terms.length) / usualLength);
    for (const [place, term] of terms.entries()) {
      weights.set(term, (weights.get(term) ?? 0) + each);
      if (place > 0) pairs.add(pairDigest(terms[place - 1] ?? '', term));
    }
  }
  for (const [term, weight] of weights) weights.set(term, weight / (weight + saturation));
  return {
    weights,
    server: document.server,
    pairs: Uint32Array.from(pairs).sort(),
    name: [...new Set(searchTerms(document.name))],
    description: [...new Set(searchTerms(document.description))].filter(
      (term) => !QUERY_STOP_WORDS.has(term),
    ),
  };
}

const WORD = /[a-z]{7,40}/g;
const MIN_PART_CHARS = 3;

/** The words in a name without separators, such as `codereview`. */
function partsOf({ name, title, description }: ToolDocument): string[] {
  const glued = name.toLowerCase().match(WORD);
  if (!glued) return [];
  const own = new Set(`${title} ${description}`.toLowerCase().match(/[a-z]{3,}/g));
  const isWord = (part: string) =>
    part.length >= MIN_PART_CHARS && (isKnownWord(part) || own.has(part));
  return glued.flatMap((word) => (isWord(word) ? [] : searchTerms(cut(word, isWord).join(' '))));
}

/** Cuts a word into known words, as few as possible; nothing where that cannot be done. */
function cut(word: string, isWord: (part: string) => boolean): string[] {
  /** For each place the fewest words up to it. */
  const best: (string[] | undefined)[] = [[]];
  for (let end = MIN_PART_CHARS; end <= word.length; end += 1) {
    for (let start = 0; start <= end - MIN_PART_CHARS; start += 1) {
      const before = best[start];
      if (!before || before.length + 1 >= (best[end]?.length ?? Infinity)) continue;
      const part = word.slice(start, end);
      if (isWord(part)) best[end] = [...before, part];
    }
  }
  return best[word.length] ?? [];
}

const FNV_PRIME = 16_777_619;
const FNV_START = 2_166_136_261;

/** A digest (FNV-1a) of two terms; equal digests of different pairs are rare and do little harm. */
export function pairDigest(one: string, other: string): number {
  let digest = FNV_START;
  for (const text of [one, other]) {
    for (let at = 0; at < text.length; at += 1) {
      digest = Math.imul(digest ^ text.charCodeAt(at), FNV_PRIME);
    }
    digest = Math.imul(digest ^ 32, FNV_PRIME);
  }
  return digest >>> 0;
}

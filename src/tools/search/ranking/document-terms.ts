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

/** In the order of `FIELDS`. */
const FIELD_WEIGHTS: readonly FieldWeight[] = [
  { weight: 2, lengthShare: 0.3, usualLength: 4 },
  { weight: 1, lengthShare: 0.3, usualLength: 2 },
  { weight: 1.5, lengthShare: 0.3, usualLength: 4 },
  { weight: 1, lengthShare: 0.75, usualLength: 24 },
  { weight: 0.4, lengthShare: 0.75, usualLength: 6 },
  { weight: 0.3, lengthShare: 0.75, usualLength: 40 },
  { weight: 1, lengthShare: 0.3, usualLength: 8 },
];

/** How soon further occurrences of a term stop counting. */
const SATURATION = 0.55;

export interface DocumentTerms {
  readonly server: string;
  /** Digests of the pairs of terms that follow each other. */
  readonly pairs: Int32Array;
  /** The distinct terms of its name. */
  readonly name: readonly string[];
  /** The distinct terms of its description that say something. */
  readonly description: readonly string[];
}

/** How much a document is about a term, between 0 and 1. */
export type TermVisitor = (term: string, share: number) => void;

/** A term, and what it counts in the document of the number. */
interface Term {
  readonly text: string;
  readonly digest: number;
  document: number;
  weight: number;
}

const MAX_REMEMBERED = 20_000;

/**
 * Finds the terms of documents. Most terms of a document were in others before, so that what belongs
 * to a term is remembered: one look-up is nearly all that another occurrence costs.
 */
export function createDocumentReader() {
  const known = new Map<string, Term>();
  let document = 0;
  let own: Term[] = [];

  function termOf(text: string): Term {
    let term = known.get(text);
    if (!term) {
      term = { text, digest: termDigest(text), document: 0, weight: 0 };
      known.set(text, term);
    }
    if (term.document !== document) {
      term.document = document;
      term.weight = 0;
      own.push(term);
    }
    return term;
  }

  /** The terms of a document; `visit` is called with each of them once. */
  return function read(from: ToolDocument, visit: TermVisitor): DocumentTerms {
    if (known.size > MAX_REMEMBERED) known.clear();
    document += 1;
    const pairs: number[] = [];
    let name: readonly string[] = [];
    let description: readonly string[] = [];
    for (const [at, { weight, lengthShare, usualLength }] of FIELD_WEIGHTS.entries()) {
      const field = FIELDS[at];
      if (field === undefined || from[field] === '') continue;
      const terms = searchTerms(from[field]);
      if (field === 'name') {
        name = [...new Set(terms)];
        terms.push(...partsOf(from));
      } else if (field === 'description') {
        description = [...new Set(terms)].filter((term) => !QUERY_STOP_WORDS.has(term));
      }
      const each = weight / (1 - lengthShare + (lengthShare * terms.length) / usualLength);
      let before: number | undefined;
      for (const text of terms) {
        const term = termOf(text);
        term.weight += each;
        if (before !== undefined) pairs.push(joinDigests(before, term.digest));
        before = term.digest;
      }
    }
    for (const { text, weight } of own) visit(text, weight / (weight + SATURATION));
    own = [];
    return { server: from.server, pairs: new Int32Array(pairs), name, description };
  };
}

const WORD = /[a-z]{7,40}/g;
const MIN_PART_CHARS = 3;

/** The words in a name without separators, such as `codereview`. */
function partsOf({ name, title, description }: ToolDocument): string[] {
  const glued =
    name
      .toLowerCase()
      .match(WORD)
      ?.filter((word) => !isKnownWord(word)) ?? [];
  if (glued.length === 0) return [];
  const own = new Set(`${title} ${description}`.toLowerCase().match(/[a-z]{3,}/g));
  const isWord = (part: string) => isKnownWord(part) || own.has(part);
  return glued.flatMap((word) => (own.has(word) ? [] : searchTerms(cut(word, isWord).join(' '))));
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

/** A digest of two terms; equal digests of different pairs are rare and do little harm. */
export function pairDigest(one: string, other: string): number {
  return joinDigests(termDigest(one), termDigest(other));
}

function joinDigests(one: number, other: number): number {
  return Math.imul(one ^ (one >>> 15), FNV_PRIME) ^ other;
}

/** FNV-1a. */
function termDigest(term: string): number {
  let digest = FNV_START;
  for (let at = 0; at < term.length; at += 1) {
    digest = Math.imul(digest ^ term.charCodeAt(at), FNV_PRIME);
  }
  return digest | 0;
}

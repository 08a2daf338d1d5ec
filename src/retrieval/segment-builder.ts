import type { FilePassage } from '#core/files/passage.ts';
import type { IndexPart } from '#core/stores/file-index.ts';
import { isSingleCharacter, searchTerms } from '#core/text/search-terms.ts';
import { encodePostings, encodeTexts } from './segment-format.ts';

/** A segment as it is built, before it has an id. */
export interface BuiltSegment {
  readonly passages: number;
  readonly terms: number;
  readonly buckets: number;
  readonly lengths: Uint16Array<ArrayBuffer>;
  readonly postings: readonly IndexPart[];
  readonly texts: readonly IndexPart[];
  readonly runs: readonly BuiltRun[];
}

export interface BuiltRun {
  readonly fileId: number;
  readonly first: number;
  readonly passages: number;
}

/** Of one file, for all of its passages. */
export interface PassageOwner {
  readonly fileId: number;
  /** Its words find every passage of the file. */
  readonly name: string;
}

export interface SegmentBuilder {
  readonly isFull: boolean;
  readonly isEmpty: boolean;
  add(passage: FilePassage, owner: PassageOwner): void;
  /** What was added since the last time. */
  take(): BuiltSegment;
}

/** Bounds the memory of a segment under way. */
const MAX_PASSAGES = 2_048;
const MAX_CHARS = 2_000_000;
const MAX_DISTINCT_TERMS = 300_000;
const MAX_LENGTH = 65_535;
const MAX_COUNT = 255;

/** Every file has the folders above. */
function endOfPath(name: string): string {
  return name.split(/[\\/]/u).slice(-2).join(' ');
}

/** Collects passages and their postings. */
export function createSegmentBuilder(): SegmentBuilder {
  let passages: FilePassage[] = [];
  let postings = new Map<string, number[]>();
  let lengths: number[] = [];
  let runs: { fileId: number; first: number; passages: number }[] = [];
  let chars = 0;
  let nameOf: { readonly name: string; readonly terms: readonly string[] } = {
    name: '',
    terms: [],
  };

  return {
    get isFull() {
      return (
        passages.length >= MAX_PASSAGES || chars >= MAX_CHARS || postings.size >= MAX_DISTINCT_TERMS
      );
    },
    get isEmpty() {
      return passages.length === 0;
    },
    add(passage, { fileId, name }) {
      if (nameOf.name !== name) nameOf = { name, terms: searchTerms(endOfPath(name)) };
      const number = passages.length;
      const counts = new Map<string, number>();
      let length = 0;
      const count = (term: string) => {
        counts.set(term, (counts.get(term) ?? 0) + 1);
        if (!isSingleCharacter(term)) length += 1;
      };
      searchTerms(passage.text).forEach(count);
      if (passage.heading !== undefined) searchTerms(passage.heading).forEach(count);
      nameOf.terms.forEach(count);
      for (const [term, times] of counts) {
        const list = postings.get(term);
        const capped = Math.min(times, MAX_COUNT);
        if (list) list.push(number, capped);
        else postings.set(term, [number, capped]);
      }
      passages.push(passage);
      lengths.push(Math.min(length, MAX_LENGTH));
      chars += passage.text.length;
      const run = runs.at(-1);
      if (run?.fileId === fileId) run.passages += 1;
      else runs.push({ fileId, first: number, passages: 1 });
    },
    take() {
      const { buckets, parts } = encodePostings(postings);
      const built: BuiltSegment = {
        passages: passages.length,
        terms: lengths.reduce((sum, each) => sum + each, 0),
        buckets,
        lengths: Uint16Array.from(lengths),
        postings: parts,
        texts: encodeTexts(passages),
        runs,
      };
      passages = [];
      postings = new Map();
      lengths = [];
      runs = [];
      chars = 0;
      return built;
    },
  };
}

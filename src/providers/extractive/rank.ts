import { STOP_WORDS } from './stop-words.ts';
import { forEachPassage } from './passages.ts';
import type { Source } from './sources.ts';
import { forEachWord, wordHashes } from './tokenize.ts';

/** A passage with its source and score. */
export interface RankedPassage {
  readonly source: Source;
  readonly from: number;
  readonly to: number;
  readonly score: number;
}

/** Scores the passages of texts, slice by slice. */
export interface Ranking {
  look(source: Source, from: number, to: number): void;
  /** The best passages, best first. */
  best(count: number): readonly RankedPassage[];
  /** Number of passages with a match. */
  readonly hits: number;
}

/** The usual parameters k1 and b of BM25. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;
const MAX_TERMS = 64;

interface Hit {
  readonly source: Source;
  readonly from: number;
  readonly to: number;
  readonly words: number;
  /** Alternating term and count. */
  readonly counts: readonly number[];
}

export function questionTerms(question: string): readonly number[] {
  return wordHashes(question)
    .filter((hash) => !STOP_WORDS.has(hash))
    .slice(0, MAX_TERMS);
}

/** Ranks passages by BM25, with a bonus for passages that contain more of the terms. */
export function rankByTerms(terms: readonly number[]): Ranking {
  const numbers = new Map(terms.map((hash, index) => [hash, index]));
  // A filter of one byte per hash: most words are not terms.
  const maybe = new Uint8Array(1 << 16);
  for (const hash of terms) maybe[hash & 0xffff] = 1;
  const passagesWith = new Float64Array(terms.length);
  const hits: Hit[] = [];
  const counts = new Uint16Array(terms.length);
  let passages = 0;
  let allWords = 0;

  return {
    look(source, start, end) {
      forEachPassage(source.text, start, end, (from, to) => {
        let words = 0;
        let different = 0;
        forEachWord(source.text, from, to, (hash) => {
          words += 1;
          if (maybe[hash & 0xffff] === 0) return;
          const term = numbers.get(hash);
          if (term === undefined) return;
          if (counts[term] === 0) different += 1;
          counts[term]! += 1;
        });
        passages += 1;
        allWords += words;
        if (different === 0) return;
        const pairs: number[] = [];
        for (let term = 0; term < counts.length; term += 1) {
          const count = counts[term] ?? 0;
          if (count === 0) continue;
          pairs.push(term, count);
          passagesWith[term]! += 1;
          counts[term] = 0;
        }
        hits.push({ source, from, to, words, counts: pairs });
      });
    },
    best(count) {
      const averageWords = allWords / Math.max(1, passages);
      const rarity = passagesWith.map((having) =>
        Math.log(1 + (passages - having + 0.5) / (having + 0.5)),
      );
      const scored = hits.map((hit): RankedPassage => {
        const long = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * (hit.words / averageWords);
        let score = 0;
        for (let at = 0; at < hit.counts.length; at += 2) {
          const often = hit.counts[at + 1] ?? 0;
          score +=
            ((rarity[hit.counts[at] ?? 0] ?? 0) * often * (SATURATION + 1)) /
            (often + SATURATION * long);
        }
        const covered = hit.counts.length / 2 / terms.length;
        return { source: hit.source, from: hit.from, to: hit.to, score: score * (0.5 + covered) };
      });
      return bestDifferent(scored, count);
    },
    get hits() {
      return hits.length;
    },
  };
}

/** The passages with the highest scores, without near-duplicates. Earlier ones win ties. */
export function bestDifferent(
  all: readonly RankedPassage[],
  count: number,
): readonly RankedPassage[] {
  const sorted = top(all, count * 4);
  const chosen: RankedPassage[] = [];
  const seen: ReadonlySet<number>[] = [];
  for (const found of sorted) {
    if (chosen.length === count) break;
    const words = wordSet(found);
    if (seen.some((other) => overlap(words, other) > 0.7)) continue;
    chosen.push(found);
    seen.push(words);
  }
  return chosen;
}

/** Selects the best in one pass, without sorting all. */
function top(all: readonly RankedPassage[], count: number): readonly RankedPassage[] {
  const best: RankedPassage[] = [];
  for (const found of all) {
    const last = best.at(-1);
    if (best.length === count && last && found.score <= last.score) continue;
    let at = best.length;
    while (at > 0 && (best[at - 1]?.score ?? 0) < found.score) at -= 1;
    best.splice(at, 0, found);
    if (best.length > count) best.pop();
  }
  return best;
}

function wordSet({ source, from, to }: RankedPassage): ReadonlySet<number> {
  const words = new Set<number>();
  forEachWord(source.text, from, to, (hash) => words.add(hash));
  return words;
}

function overlap(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let both = 0;
  for (const word of a) if (b.has(word)) both += 1;
  return both / Math.max(1, Math.min(a.size, b.size));
}

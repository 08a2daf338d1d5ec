import { STOP_WORDS } from './stop-words.ts';
import { eachPassage } from './passages.ts';
import { bestDifferent, type Found } from './rank.ts';
import type { Source } from './sources.ts';
import { eachWord } from './words.ts';

/** Counts words in a table of fixed size: a text of nothing but new words takes no more memory than any other. */
const BUCKETS = 1 << 18;
/** The beginning of a text says what it is about. */
const FIRST_BONUS = 1.6;
const EARLY_BONUS = 1.2;
const EARLY_PASSAGES = 3;
const MIN_WORDS = 5;

/** The passages that stand for a text: those whose words it uses most, and its beginning. Counts first, then looks. */
export interface Summary {
  count(source: Source, from: number, to: number): void;
  look(source: Source, from: number, to: number): void;
  /** In the order in which they stand. */
  best(count: number): readonly Found[];
}

export function createSummary(): Summary {
  const often = new Uint32Array(BUCKETS);
  const seen = new Map<Source, number>();
  const all: Found[] = [];
  return {
    count(source, from, to) {
      eachWord(source.text, from, to, (hash) => {
        if (!STOP_WORDS.has(hash)) often[hash & (BUCKETS - 1)]! += 1;
      });
    },
    look(source, start, end) {
      eachPassage(source.text, start, end, (from, to) => {
        let words = 0;
        let weight = 0;
        const inside = new Set<number>();
        eachWord(source.text, from, to, (hash) => {
          words += 1;
          if (STOP_WORDS.has(hash) || inside.has(hash)) return;
          inside.add(hash);
          weight += Math.log2(1 + (often[hash & (BUCKETS - 1)] ?? 0));
        });
        const number = seen.get(source) ?? 0;
        seen.set(source, number + 1);
        const bonus = number === 0 ? FIRST_BONUS : number < EARLY_PASSAGES ? EARLY_BONUS : 1;
        // By the root, or the longest passages would always win.
        const score = words < MIN_WORDS ? 0 : (weight / Math.sqrt(words)) * bonus;
        all.push({ source, from, to, score });
      });
    },
    best(count) {
      const order = new Map([...seen.keys()].map((source, index) => [source, index]));
      const place = (found: Found) => order.get(found.source) ?? 0;
      return bestDifferent(all, count).toSorted((a, b) => place(a) - place(b) || a.from - b.from);
    },
  };
}

import { hasLineNumbers, withoutLineNumbers } from '#core/text/numbered-lines.ts';
import { forEachPassage } from './passages.ts';
import { bestDifferent, questionTerms, rankByTerms, type RankedPassage } from './rank.ts';
import type { Material, Source } from './sources.ts';
import { STOP_WORDS } from './stop-words.ts';
import { forEachWord } from './tokenize.ts';

export interface Extract {
  /**
   * How the passages were chosen: by the question, as a summary, as a summary because nothing
   * matched, or there are none.
   */
  readonly by: 'question' | 'summary' | 'no_match' | 'nothing';
  readonly found: readonly RankedPassage[];
  readonly terms: readonly number[];
  readonly hits: number;
  readonly looked: Looked;
}

/** What was searched, for the last line of the answer. */
export interface Looked {
  readonly files: number;
  readonly messages: number;
  readonly chars: number;
  readonly allChars: number;
}

interface Slice {
  readonly source: Source;
  readonly from: number;
  readonly to: number;
}

const PASSAGES = 5;
/** Characters per slice, small enough to keep the event loop responsive. */
const SLICE_CHARS = 256 * 1024;
const SUMMARY_WISH =
  /\b(?:summar(?:y|ies|i[sz]e[sd]?|i[sz]ing)|tl;?dr|overview|gist|key points|outline)\b|总结|總結|摘要|概括|概述|要点|要約|まとめ|요약/i;

/** Finds the passages of the texts that fit the question. `pause` yields the event loop. */
export async function extract(
  { question, sources: given }: Material,
  maxChars: number,
  pause: () => Promise<void>,
): Promise<Extract> {
  const sources: Source[] = [];
  let since = 0;
  for (const source of given) {
    sources.push(withoutNumbers(source));
    since += source.text.length;
    if (since < SLICE_CHARS) continue;
    since = 0;
    await pause();
  }
  const { slices, looked } = slicesOf(sources, maxChars);
  const terms = questionTerms(question);
  const nothing: Extract = { by: 'nothing', found: [], terms, hits: 0, looked };
  if (slices.length === 0) return nothing;
  const isAsked = terms.length > 0 && !SUMMARY_WISH.test(question);
  if (isAsked) {
    const ranking = rankByTerms(terms);
    await forEachSlice(slices, pause, ({ source, from, to }) => ranking.look(source, from, to));
    const found = ranking.best(PASSAGES);
    if (found.length > 0) return { ...nothing, by: 'question', found, hits: ranking.hits };
  }
  const summary = createSummary();
  await forEachSlice(slices, pause, ({ source, from, to }) => summary.count(source, from, to));
  await forEachSlice(slices, pause, ({ source, from, to }) => summary.look(source, from, to));
  const found = summary.best(PASSAGES);
  if (found.length === 0) return nothing;
  return { ...nothing, by: isAsked ? 'no_match' : 'summary', found };
}

/** Numbers of lines are not words of the file. */
function withoutNumbers(source: Source): Source {
  const { kind, text } = source;
  if (kind !== 'file' || !hasLineNumbers(text)) return source;
  return { ...source, text: withoutLineNumbers(text), numbered: text };
}

/** Visits slices, with pauses in between. */
export async function forEachSlice(
  slices: readonly Slice[],
  pause: () => Promise<void>,
  work: (slice: Slice) => void,
): Promise<void> {
  let since = 0;
  for (const slice of slices) {
    work(slice);
    since += slice.to - slice.from;
    if (since < SLICE_CHARS) continue;
    since = 0;
    await pause();
  }
}

/** Splits texts into slices, at line ends where possible, up to a total limit. */
export function slicesOf(
  sources: readonly Source[],
  maxChars: number,
): { readonly slices: readonly Slice[]; readonly looked: Looked } {
  const slices: Slice[] = [];
  const touched = { file: 0, message: 0 };
  let left = maxChars;
  let allChars = 0;
  for (const source of sources) {
    const { text, kind } = source;
    allChars += text.length;
    const until = Math.min(text.length, left);
    left -= until;
    if (until > 0) touched[kind] += 1;
    for (let from = 0; from < until;) {
      const most = Math.min(until, from + SLICE_CHARS);
      const line = most === until ? -1 : text.lastIndexOf('\n', most);
      const to = line > from + SLICE_CHARS / 2 ? line : most;
      slices.push({ source, from, to });
      from = to;
    }
  }
  const { file: files, message: messages } = touched;
  return { slices, looked: { files, messages, chars: maxChars - left, allChars } };
}

/** Size of the word counts; fixed, so that memory does not depend on the text. */
const BUCKETS = 1 << 18;
/** Bonus for the beginning of a text. */
const FIRST_BONUS = 1.6;
const EARLY_BONUS = 1.2;
const EARLY_PASSAGES = 3;
const MIN_WORDS = 5;

/**
 * Selects passages that summarise a text: those with its most frequent words, and its beginning.
 * `count` runs over all texts first, then `look`.
 */
interface Summary {
  count(source: Source, from: number, to: number): void;
  look(source: Source, from: number, to: number): void;
  /** In the order of the text. */
  best(count: number): readonly RankedPassage[];
}

function createSummary(): Summary {
  const often = new Uint32Array(BUCKETS);
  const seen = new Map<Source, number>();
  const all: RankedPassage[] = [];
  return {
    count(source, from, to) {
      forEachWord(source.text, from, to, (hash) => {
        if (!STOP_WORDS.has(hash)) often[hash & (BUCKETS - 1)]! += 1;
      });
    },
    look(source, start, end) {
      forEachPassage(source.text, start, end, (from, to) => {
        let words = 0;
        let weight = 0;
        const inside = new Set<number>();
        forEachWord(source.text, from, to, (hash) => {
          words += 1;
          if (STOP_WORDS.has(hash) || inside.has(hash)) return;
          inside.add(hash);
          weight += Math.log2(1 + (often[hash & (BUCKETS - 1)] ?? 0));
        });
        const number = seen.get(source) ?? 0;
        seen.set(source, number + 1);
        const bonus = number === 0 ? FIRST_BONUS : number < EARLY_PASSAGES ? EARLY_BONUS : 1;
        // Divided by the root of the length, or the longest passages would always win.
        const score = words < MIN_WORDS ? 0 : (weight / Math.sqrt(words)) * bonus;
        all.push({ source, from, to, score });
      });
    },
    best(count) {
      const order = new Map([...seen.keys()].map((source, index) => [source, index]));
      const place = (found: RankedPassage) => order.get(found.source) ?? 0;
      return bestDifferent(all, count).toSorted((a, b) => place(a) - place(b) || a.from - b.from);
    },
  };
}

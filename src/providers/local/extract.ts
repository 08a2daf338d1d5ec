import { questionTerms, rankByTerms, type Found } from './rank.ts';
import type { Material, Source } from './sources.ts';
import { createSummary } from './summary.ts';

export interface Extract {
  /** Why these passages: they match the question, stand for the texts, or do so because none matches; or there are none. */
  readonly by: 'question' | 'summary' | 'no_match' | 'nothing';
  readonly found: readonly Found[];
  readonly terms: readonly number[];
  readonly hits: number;
  readonly looked: Looked;
}

/** What was looked at, so that nobody takes a part for the whole. */
export interface Looked {
  readonly files: number;
  readonly messages: number;
  readonly chars: number;
  readonly allChars: number;
}

export interface Slice {
  readonly source: Source;
  readonly from: number;
  readonly to: number;
}

const PASSAGES = 5;
/** Small enough that nobody notices the pause in between. */
const SLICE_CHARS = 256 * 1024;
const SUMMARY_WISH =
  /\b(?:summar(?:y|ies|i[sz]e[sd]?|i[sz]ing)|tl;?dr|overview|gist|key points|outline)\b|总结|總結|摘要|概括|概述|要点|要約|まとめ|요약/i;

/** Finds what there is to say about a question in the given texts. `pause` lets others work in between. */
export async function extract(
  { question, sources }: Material,
  maxChars: number,
  pause: () => Promise<void>,
): Promise<Extract> {
  const { slices, looked } = slicesOf(sources, maxChars);
  const terms = questionTerms(question);
  const nothing: Extract = { by: 'nothing', found: [], terms, hits: 0, looked };
  if (slices.length === 0) return nothing;
  const isAsked = terms.length > 0 && !SUMMARY_WISH.test(question);
  if (isAsked) {
    const ranking = rankByTerms(terms);
    await inTurns(slices, pause, ({ source, from, to }) => ranking.look(source, from, to));
    const found = ranking.best(PASSAGES);
    if (found.length > 0) return { ...nothing, by: 'question', found, hits: ranking.hits };
  }
  const summary = createSummary();
  await inTurns(slices, pause, ({ source, from, to }) => summary.count(source, from, to));
  await inTurns(slices, pause, ({ source, from, to }) => summary.look(source, from, to));
  const found = summary.best(PASSAGES);
  if (found.length === 0) return nothing;
  return { ...nothing, by: isAsked ? 'no_match' : 'summary', found };
}

/** Works through slices, with a pause whenever enough was done. */
export async function inTurns(
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

/** The texts in pieces that end between lines where they can, up to a limit for all together. */
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

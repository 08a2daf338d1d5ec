import type { FileIndexStore, IndexRun, IndexSegment } from '#core/stores/file-index.ts';
import { inverseDocumentFrequency, lengthFactor, termScore } from '#core/text/bm25.ts';
import type { QueryTerm } from '#core/text/search-terms.ts';
import { bucketOf, findPostings, forEachPosting, type PostingsReader } from './segment-format.ts';

/** A passage by its place in the index. */
export interface PassageRef {
  readonly segmentId: number;
  readonly passage: number;
  readonly fileId: number;
}

export interface RankedPassageRef extends PassageRef {
  readonly score: number;
}

/** Segments with the runs that are searched. */
export interface SearchedSegment {
  readonly segment: IndexSegment;
  readonly runs: readonly IndexRun[];
}

const SEGMENTS_PER_READ = 32;

/** Ranks passages by the terms of a query, with the postings of all segments. `pause` yields the event loop. */
export async function searchKeywords(
  terms: readonly QueryTerm[],
  searched: readonly SearchedSegment[],
  limit: number,
  store: Pick<FileIndexStore, 'parts'>,
  pause: () => Promise<void>,
): Promise<readonly RankedPassageRef[]> {
  const found: SegmentPostings[] = [];
  for (let at = 0; at < searched.length; at += SEGMENTS_PER_READ) {
    found.push(...(await readPostings(terms, searched.slice(at, at + SEGMENTS_PER_READ), store)));
    await pause();
  }
  const passages = sum(searched.map(({ segment }) => segment.passages));
  const meanLength = sum(searched.map(({ segment }) => segment.terms)) / Math.max(1, passages);
  const weights = terms.map(({ weight }, at) => {
    const having = sum(found.map(({ postings }) => postings[at]?.count ?? 0));
    return weight * inverseDocumentFrequency(passages, having);
  });
  const best = createBest(limit);
  for (const each of found) {
    scoreSegment(each, weights, meanLength, best);
    await pause();
  }
  return best.take();
}

interface SegmentPostings extends SearchedSegment {
  /** By the place of the term in the query. */
  readonly postings: readonly (PostingsReader | undefined)[];
}

async function readPostings(
  terms: readonly QueryTerm[],
  searched: readonly SearchedSegment[],
  store: Pick<FileIndexStore, 'parts'>,
): Promise<readonly SegmentPostings[]> {
  const wanted = new Map<string, { readonly segmentId: number; readonly at: number }>();
  for (const { segment } of searched) {
    for (const { term } of terms) {
      const at = bucketOf(term, segment.buckets);
      wanted.set(`${segment.id} ${at}`, { segmentId: segment.id, at });
    }
  }
  const parts = await store.parts('postings', [...wanted.values()]);
  const byPlace = new Map(parts.map(({ segmentId, at, bytes }) => [`${segmentId} ${at}`, bytes]));
  return searched.map((each) => ({
    ...each,
    postings: terms.map(({ term }) => {
      const { id, buckets } = each.segment;
      const bucket = byPlace.get(`${id} ${bucketOf(term, buckets)}`);
      return bucket && findPostings(bucket, term);
    }),
  }));
}

function scoreSegment(
  { segment, runs, postings }: SegmentPostings,
  weights: readonly number[],
  meanLength: number,
  best: BestPassages,
): void {
  const { id, lengths } = segment;
  const scores = new Float64Array(segment.passages);
  let isHit = false;
  for (const [at, reader] of postings.entries()) {
    if (!reader) continue;
    isHit = true;
    const weight = weights[at] ?? 0;
    forEachPosting(reader, (passage, occurrences) => {
      const factor = lengthFactor(lengths[passage] ?? 0, meanLength);
      scores[passage] = (scores[passage] ?? 0) + termScore(weight, occurrences, factor);
    });
  }
  if (!isHit) return;
  for (const { first, passages, fileId } of runs) {
    for (let passage = first; passage < first + passages; passage += 1) {
      const score = scores[passage] ?? 0;
      if (score > best.worst) best.add({ segmentId: id, passage, fileId, score });
    }
  }
}

interface BestPassages {
  /** A lower score is not among the best. */
  readonly worst: number;
  add(ref: RankedPassageRef): void;
  take(): readonly RankedPassageRef[];
}

/** Keeps the best, and sorts them when there are twice as many. */
function createBest(limit: number): BestPassages {
  let kept: RankedPassageRef[] = [];
  let worst = 0;
  const cut = () => {
    kept = kept
      .toSorted((a, b) => b.score - a.score || a.segmentId - b.segmentId || a.passage - b.passage)
      .slice(0, limit);
    if (kept.length === limit) worst = kept.at(-1)?.score ?? 0;
  };
  return {
    get worst() {
      return worst;
    },
    add(ref) {
      kept.push(ref);
      if (kept.length >= 2 * limit + 16) cut();
    },
    take() {
      cut();
      return kept;
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0);
}

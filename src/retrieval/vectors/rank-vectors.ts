import type { PackedVectors } from './vector-format.ts';

/** The vectors of a segment in memory, one after the other. */
export interface LoadedVectors extends Omit<PackedVectors, 'counts'> {
  /** The passage of each vector, ascending. */
  readonly passages: Uint32Array;
  readonly passageCount: number;
  readonly sum: Float64Array;
}

export interface RankedSegment {
  readonly id: number;
  readonly loaded: LoadedVectors;
  /** Adjacent passages that are searched. */
  readonly runs: readonly { readonly first: number; readonly passages: number }[];
}

export interface KeywordScore {
  readonly segmentId: number;
  readonly passage: number;
  readonly score: number;
}

export interface FusedScore extends KeywordScore {
  readonly hasVector: boolean;
}

// All four were chosen on two collections of abstracts (CACM and CISI), not on those that the tests
// measure.
const VECTOR_SHARE = 0.5;
const FEEDBACK_PASSAGES = 5;
const FEEDBACK_WEIGHT = 1.5;
/** So many vectors without direction are added: a few vectors say little about what all have in common. */
const MEAN_SHRINKAGE = 20;

/**
 * Ranks passages by their keyword scores and by the nearness of their vectors to the query's, each scaled to
 * 0..1, in equal shares. Vectors are compared without what all have in common, and the query is moved
 * towards the passages that a first ranking finds.
 */
export function rankFused(
  query: Float32Array,
  segments: readonly RankedSegment[],
  keywords: readonly KeywordScore[],
  limit: number,
): readonly FusedScore[] {
  const size = query.length;
  const mean = meanOf(segments, size);
  const spaces = segments.map((segment) => createSpace(segment, mean));
  const bestKeyword = keywords.reduce((most, { score }) => Math.max(most, score), 0) || 1;
  const byKeywords = new Map<number, Float64Array>();
  for (const { id, loaded } of segments) byKeywords.set(id, new Float64Array(loaded.passageCount));
  for (const { segmentId, passage, score } of keywords) {
    const scores = byKeywords.get(segmentId);
    if (scores) scores[passage] = score / bestKeyword;
  }
  const rank = (vector: Float64Array, count: number) =>
    fuse(spaces, byKeywords, vector, mean, count);
  const start = direction(Float64Array.from(query, (value, at) => value - (mean[at] ?? 0)));
  const first = rank(start, FEEDBACK_PASSAGES);
  return rank(moved(start, first, spaces, mean), limit);
}

/** The vectors of a segment around the mean of all. */
interface Space extends RankedSegment {
  /** 1 / the distance from the mean, of each vector. */
  readonly scales: Float64Array;
  readonly isSearched: Uint8Array;
  /** The vector of each passage that was nearest at the last ranking; -1: it has none. */
  readonly nearest: Int32Array;
}

function meanOf(segments: readonly RankedSegment[], size: number): Float64Array {
  const mean = new Float64Array(size);
  let count = 0;
  for (const { loaded } of segments) {
    count += loaded.passages.length;
    for (let at = 0; at < size; at += 1) mean[at] = (mean[at] ?? 0) + (loaded.sum[at] ?? 0);
  }
  return mean.map((value) => value / (count + MEAN_SHRINKAGE));
}

function createSpace(segment: RankedSegment, mean: Float64Array): Space {
  const { loaded, runs } = segment;
  const isSearched = new Uint8Array(loaded.passageCount);
  for (const { first, passages } of runs) isSearched.fill(1, first, first + passages);
  const ofMean = dot(mean, mean);
  const scales = Float64Array.from(loaded.passages, (passage, at) => {
    if (isSearched[passage] === 0) return 0;
    const shared = dotOf(loaded, at, mean);
    return 1 / Math.sqrt(Math.max(1e-6, 1 - 2 * shared + ofMean));
  });
  return { ...segment, scales, isSearched, nearest: new Int32Array(loaded.passageCount).fill(-1) };
}

function fuse(
  spaces: readonly Space[],
  byKeywords: ReadonlyMap<number, Float64Array>,
  vector: Float64Array,
  mean: Float64Array,
  limit: number,
): readonly FusedScore[] {
  const shared = dot(vector, mean);
  let least = Infinity;
  let most = -Infinity;
  const scored = spaces.map((space) => {
    const { loaded, scales, nearest, isSearched } = space;
    const near = new Float64Array(loaded.passageCount).fill(-Infinity);
    nearest.fill(-1);
    for (const [at, passage] of loaded.passages.entries()) {
      if (isSearched[passage] === 0) continue;
      const score = (dotOf(loaded, at, vector) - shared) * (scales[at] ?? 0);
      if (score <= (near[passage] ?? 0)) continue;
      near[passage] = score;
      nearest[passage] = at;
    }
    for (const score of near) {
      if (score === -Infinity) continue;
      least = Math.min(least, score);
      most = Math.max(most, score);
    }
    return { space, near };
  });
  const range = most - least || 1;
  let best: FusedScore[] = [];
  let worst = 0;
  const cut = () => {
    best = best.toSorted((a, b) => b.score - a.score).slice(0, limit);
    if (best.length === limit) worst = best.at(-1)?.score ?? 0;
  };
  for (const { space, near } of scored) {
    const keywordScores = byKeywords.get(space.id);
    for (const [passage, distance] of near.entries()) {
      if (space.isSearched[passage] === 0) continue;
      const hasVector = distance !== -Infinity;
      const byVector = hasVector ? (distance - least) / range : 0;
      const score = VECTOR_SHARE * byVector + (1 - VECTOR_SHARE) * (keywordScores?.[passage] ?? 0);
      if (score <= worst) continue;
      best.push({ segmentId: space.id, passage, score, hasVector });
      if (best.length >= 2 * limit + 16) cut();
    }
  }
  cut();
  return best;
}

/** The query, moved towards what was found; a better passage counts more. */
function moved(
  start: Float64Array,
  found: readonly FusedScore[],
  spaces: readonly Space[],
  mean: Float64Array,
): Float64Array {
  const centre = new Float64Array(start.length);
  let weights = 0;
  const withVectors = found.filter(({ hasVector }) => hasVector);
  for (const [rank, { segmentId, passage }] of withVectors.entries()) {
    const space = spaces.find(({ id }) => id === segmentId);
    const vector = space?.nearest[passage] ?? -1;
    if (!space || vector < 0) continue;
    const weight = 1 / (rank + 1);
    weights += weight;
    const scale = space.scales[vector] ?? 0;
    for (let at = 0; at < centre.length; at += 1) {
      const value = valueOf(space.loaded, vector, at) - (mean[at] ?? 0);
      centre[at] = (centre[at] ?? 0) + weight * scale * value;
    }
  }
  if (weights === 0) return start;
  return direction(
    start.map((value, at) => value + (FEEDBACK_WEIGHT * (centre[at] ?? 0)) / weights),
  );
}

function valueOf({ size, scales, numbers }: LoadedVectors, vector: number, at: number): number {
  return (scales[vector] ?? 0) * (numbers[vector * size + at] ?? 0);
}

function dotOf(
  { size, scales, numbers }: LoadedVectors,
  vector: number,
  other: Float64Array,
): number {
  const from = vector * size;
  let sum = 0;
  for (let at = 0; at < size; at += 1) sum += (numbers[from + at] ?? 0) * (other[at] ?? 0);
  return sum * (scales[vector] ?? 0);
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

function direction(vector: Float64Array): Float64Array {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((value) => value / length);
}

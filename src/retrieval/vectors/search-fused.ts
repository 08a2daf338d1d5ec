import type { PassageEmbedder } from '#core/files/passage-embedder.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { FileIndexStore } from '#core/stores/file-index.ts';
import { mayBeEnglish } from '#core/text/is-english.ts';
import type { RankedPassageRef, SearchedSegment } from '../search-keywords.ts';
import { PASSAGES_PER_VECTORS } from './vector-format.ts';
import type { VectorSegment, VectorThread } from './vector-thread.ts';

/** What fusion considers beside the passages with near vectors. */
export const KEYWORD_CANDIDATES = 1_000;
/** More vectors are not searched: 128 MB, about 200,000 passages of the offline model. */
const MAX_SEARCHED_BYTES = 128 * 1_048_576;
/** Vectors vote only where most of what keywords find has one. */
const JUDGED_HITS = 20;

export interface FusedSearch {
  readonly query: string;
  readonly principal: string;
  readonly searched: readonly SearchedSegment[];
  readonly keywords: readonly RankedPassageRef[];
  readonly limit: number;
}

export interface FusionDeps {
  readonly store: Pick<FileIndexStore, 'vectorParts' | 'vectors'>;
  readonly embedder: PassageEmbedder;
  readonly thread: VectorThread;
}

/** Ranks passages by keywords and vectors; undefined where vectors have no vote. */
export async function searchFused(
  { query, principal, searched, keywords, limit }: FusedSearch,
  { store, embedder, thread }: FusionDeps,
  signal: AbortSignalLike,
): Promise<readonly RankedPassageRef[] | undefined> {
  if (embedder.language === 'english' && !mayBeEnglish(query)) return undefined;
  const segments = await segmentsWithVectors(searched, principal, { store, embedder });
  const bytes = segments.reduce((sum, each) => sum + each.bytes, 0);
  if (bytes === 0 || bytes > MAX_SEARCHED_BYTES || !haveVectors(keywords, segments)) {
    return undefined;
  }
  const [vector] = await embedder.embed([query.slice(0, embedder.maxChars)], { principal, signal });
  if (!vector) return undefined;
  const found = await thread.rank(
    {
      model: embedder.id,
      query: vector,
      segments,
      keywords,
      limit: limit + JUDGED_HITS,
      read: async (segmentId) => store.vectors(embedder.id, segmentId),
    },
    signal,
  );
  // The language of a query of few words is seen by what it finds.
  const isInPlace = isMostly(
    found.filter(({ segmentId, passage }) => isHit(keywords, segmentId, passage)),
    ({ hasVector }) => hasVector,
  );
  if (!isInPlace) return undefined;
  const fileOf = createFileLookup(searched);
  return found.slice(0, limit).flatMap(({ segmentId, passage, score }) => {
    const fileId = fileOf(segmentId, passage);
    return fileId === undefined ? [] : [{ segmentId, passage, fileId, score }];
  });
}

async function segmentsWithVectors(
  searched: readonly SearchedSegment[],
  principal: string,
  { store, embedder }: Pick<FusionDeps, 'store' | 'embedder'>,
): Promise<readonly (VectorSegment & { readonly ats: ReadonlySet<number> })[]> {
  const parts = await store.vectorParts(principal, embedder.id);
  const bySegment = new Map<number, { bytes: number; ats: Set<number> }>();
  for (const { segmentId, at, bytes } of parts) {
    const known = bySegment.get(segmentId) ?? { bytes: 0, ats: new Set() };
    known.bytes += bytes;
    known.ats.add(at);
    bySegment.set(segmentId, known);
  }
  return searched.map(({ segment, runs }) => {
    const { bytes = 0, ats = new Set<number>() } = bySegment.get(segment.id) ?? {};
    return { segment, runs, bytes, ats, parts: ats.size };
  });
}

/** Whether most of the best hits of keywords are where vectors were made. */
function haveVectors(
  keywords: readonly RankedPassageRef[],
  segments: readonly {
    readonly segment: { readonly id: number };
    readonly ats: ReadonlySet<number>;
  }[],
): boolean {
  const ats = new Map(segments.map(({ segment, ats: own }) => [segment.id, own]));
  return isMostly(keywords.slice(0, JUDGED_HITS), ({ segmentId, passage }) =>
    Boolean(ats.get(segmentId)?.has(Math.floor(passage / PASSAGES_PER_VECTORS))),
  );
}

function isHit(keywords: readonly RankedPassageRef[], segmentId: number, passage: number): boolean {
  return keywords
    .slice(0, JUDGED_HITS)
    .some((hit) => hit.segmentId === segmentId && hit.passage === passage);
}

function isMostly<Each>(all: readonly Each[], test: (each: Each) => boolean): boolean {
  return all.filter(test).length * 2 >= all.length;
}

function createFileLookup(searched: readonly SearchedSegment[]) {
  const runs = new Map(searched.map(({ segment, runs: own }) => [segment.id, own]));
  return (segmentId: number, passage: number) =>
    runs
      .get(segmentId)
      ?.find(({ first, passages }) => passage >= first && passage < first + passages)?.fileId;
}

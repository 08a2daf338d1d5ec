import type { FoundPassage, FoundPassages, PassageQuery } from '#core/files/file-index.ts';
import type { FilePassage } from '#core/files/passage.ts';
import type { FileIndexStore, IndexedFile, IndexRun } from '#core/stores/file-index.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { queryTerms } from '#core/text/search-terms.ts';
import { decodeTexts, PASSAGES_PER_TEXT } from './segment-format.ts';
import { searchKeywords, type RankedPassageRef, type SearchedSegment } from './search-keywords.ts';
import { embeddingsFailed } from './vectors/embeddings-failed.ts';
import { KEYWORD_CANDIDATES, searchFused, type FusionDeps } from './vectors/search-fused.ts';

const DEFAULT_LIMIT = 10;

export interface SearchIndexDeps {
  readonly store: FileIndexStore;
  /** Absent: keywords alone. */
  readonly vectors?: FusionDeps;
}

/** Searches the index of a principal. `pause` yields the event loop and throws when the call has ended. */
export async function searchIndex(
  { query, limit = DEFAULT_LIMIT, fileIds }: PassageQuery,
  principal: string,
  { store, vectors }: SearchIndexDeps,
  { signal, pause }: { readonly signal: AbortSignalLike; readonly pause: () => Promise<void> },
): Promise<FoundPassages> {
  const wanted = fileIds && new Set(fileIds);
  const all = await store.runs(principal, wanted ? undefined : 'added');
  const runs = wanted ? all.filter(({ fileId }) => wanted.has(fileId)) : all;
  await pause();
  const searched = await searchedSegments(principal, runs, store);
  await pause();
  const count = vectors ? Math.max(limit, KEYWORD_CANDIDATES) : limit;
  const keywords = await searchKeywords(queryTerms(query), searched, count, store, pause);
  const notices: Notice[] = [];
  let refs: readonly RankedPassageRef[] = keywords.slice(0, limit);
  if (vectors) {
    try {
      const search = { query, principal, searched, keywords, limit };
      refs = (await searchFused(search, vectors, signal)) ?? refs;
    } catch (thrown) {
      signal.throwIfAborted();
      notices.push(embeddingsFailed(thrown));
    }
  }
  const found = await store.filesById(principal, [...new Set(refs.map(({ fileId }) => fileId))]);
  const files = new Map(found.map((file) => [file.id, file]));
  return {
    passages: await readPassages(refs, files, store),
    searched: {
      files: new Set(runs.map(({ fileId }) => fileId)).size,
      passages: runs.reduce((sum, { passages }) => sum + passages, 0),
    },
    notices,
  };
}

async function searchedSegments(
  principal: string,
  runs: readonly IndexRun[],
  store: Pick<FileIndexStore, 'segments'>,
): Promise<readonly SearchedSegment[]> {
  const bySegment = new Map<number, IndexRun[]>();
  for (const run of runs) {
    const list = bySegment.get(run.segmentId);
    if (list) list.push(run);
    else bySegment.set(run.segmentId, [run]);
  }
  if (bySegment.size === 0) return [];
  return (await store.segments(principal)).flatMap((segment) => {
    const own = bySegment.get(segment.id);
    return own ? [{ segment, runs: own }] : [];
  });
}

/** The texts of ranked passages; those that were removed meanwhile are left out. */
async function readPassages(
  refs: readonly RankedPassageRef[],
  files: ReadonlyMap<number, IndexedFile>,
  store: Pick<FileIndexStore, 'parts'>,
): Promise<readonly FoundPassage[]> {
  const placeOf = ({ segmentId, passage }: RankedPassageRef) => {
    const at = Math.floor(passage / PASSAGES_PER_TEXT);
    return { segmentId, at, key: `${segmentId} ${at}` };
  };
  const wanted = new Map(refs.map((ref) => [placeOf(ref).key, placeOf(ref)]));
  const parts = await store.parts('texts', [...wanted.values()]);
  const texts = new Map<string, readonly FilePassage[]>(
    parts.map(({ segmentId, at, bytes }) => [`${segmentId} ${at}`, decodeTexts(bytes)]),
  );
  return refs.flatMap((ref) => {
    const passage = texts.get(placeOf(ref).key)?.[ref.passage % PASSAGES_PER_TEXT];
    const file = files.get(ref.fileId);
    return passage && file ? [{ ...passage, file, score: ref.score }] : [];
  });
}

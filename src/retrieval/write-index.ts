import { CallError } from '#core/errors/call-error.ts';
import type { FilePassage } from '#core/files/passage.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type {
  FileIndexStore,
  IndexCommit,
  IndexRun,
  NewIndexedFile,
} from '#core/stores/file-index.ts';
import type { BuiltSegment } from './segment-builder.ts';
import { decodeTexts, PASSAGES_PER_TEXT } from './segment-format.ts';
import { startSegmentThread, type SegmentThread } from './segment-thread.ts';
import type { PassageSource } from './split-passages.ts';
import { copyVectors } from './vectors/copy-vectors.ts';

/** Writes files to the index of a principal. Each is searchable from the commit of its last segment on. */
export interface IndexWriter {
  add(file: NewIndexedFile, source: PassageSource, text: string): Promise<void>;
  /** Commits the files so far. */
  commit(): Promise<void>;
  /** Commits what is left, and merges small segments and those with many dead passages. */
  finish(beforeMerge: () => Promise<void>): Promise<void>;
  /** Ends the thread. What is not committed is removed later. */
  close(): Promise<void>;
}

type NewSegment = IndexCommit['segments'][number];

/** A segment with fewer living passages is small. */
const SMALL_PASSAGES = 512;
const MAX_SMALL = 8;

export function createIndexWriter(
  principal: string,
  store: FileIndexStore,
  signal: AbortSignalLike,
  pause: () => Promise<void>,
): IndexWriter {
  let thread: SegmentThread | undefined;
  /** Files whose last passages are in the segment under way. */
  let finished: { readonly id: number; readonly passages: number }[] = [];
  /** While segments are merged: what is committed at the end. */
  let merged: { readonly segments: NewSegment[]; readonly runs: IndexRun[] } | undefined;

  async function save(built: BuiltSegment): Promise<void> {
    signal.throwIfAborted();
    const { postings, texts, runs, ...facts } = built;
    const id = await store.beginSegment(principal);
    await store.saveParts('texts', id, texts);
    await store.saveParts('postings', id, postings);
    const segment = { id, ...facts };
    const placed = runs.map((run): IndexRun => ({ ...run, segmentId: id }));
    if (merged) {
      merged.segments.push(segment);
      merged.runs.push(...placed);
      return;
    }
    const done = finished;
    finished = [];
    await store.commit(principal, { segments: [segment], runs: placed, finished: done });
  }

  async function open(): Promise<SegmentThread> {
    if (thread) return thread;
    await store.clean(principal);
    thread = startSegmentThread(save, pause);
    return thread;
  }

  async function merge(): Promise<void> {
    const runs = await store.runs(principal);
    const replaced = segmentsToMerge(await store.segments(principal), runs);
    if (replaced.size === 0) return;
    const files = new Map((await store.files(principal)).map((file) => [file.id, file]));
    const one = await open();
    const all: { segments: NewSegment[]; runs: IndexRun[] } = { segments: [], runs: [] };
    merged = all;
    const moved: IndexRun[] = [];
    for (const run of runs) {
      const file = files.get(run.fileId);
      if (!replaced.has(run.segmentId) || !file) continue;
      moved.push(run);
      signal.throwIfAborted();
      await one.addPassages({ fileId: file.id, name: file.name }, await readRun(run, store));
    }
    await one.flush();
    merged = undefined;
    await copyVectors(moved, all.runs, store);
    try {
      await store.commit(principal, { ...all, finished: [], replaces: [...replaced] });
    } catch (thrown) {
      if (CallError.from(thrown).class !== 'conflict') throw thrown;
    }
  }

  async function commit(): Promise<void> {
    if (!thread) return;
    await thread.flush();
    // Files without a passage have no segment.
    await store.commit(principal, { segments: [], runs: [], finished });
    finished = [];
  }

  return {
    commit,
    async add(file, source, text) {
      signal.throwIfAborted();
      const one = await open();
      const fileId = await store.beginFile(principal, file);
      const passages = await one.addText({ fileId, name: file.name }, source, text);
      finished.push({ id: fileId, passages });
    },
    async finish(beforeMerge) {
      await commit();
      await beforeMerge();
      if (!thread) return;
      await store.clean(principal);
      await merge();
    },
    async close() {
      await thread?.close();
    },
  };
}

/** The small segments, where there are many, and those of which most passages are dead. */
function segmentsToMerge(
  segments: readonly { readonly id: number; readonly passages: number }[],
  runs: readonly IndexRun[],
): ReadonlySet<number> {
  const living = new Map<number, number>();
  for (const { segmentId, passages } of runs) {
    living.set(segmentId, (living.get(segmentId) ?? 0) + passages);
  }
  const livingIn = (id: number) => living.get(id) ?? 0;
  const present = segments.filter(({ id }) => livingIn(id) > 0);
  const small = present.filter(({ id }) => livingIn(id) < SMALL_PASSAGES);
  const dying = present.filter(({ id, passages }) => livingIn(id) * 2 < passages);
  return new Set([...(small.length > MAX_SMALL ? small : []), ...dying].map(({ id }) => id));
}

/** The passages of a run. */
async function readRun(
  { segmentId, first, passages }: IndexRun,
  store: Pick<FileIndexStore, 'parts'>,
): Promise<readonly FilePassage[]> {
  const from = Math.floor(first / PASSAGES_PER_TEXT);
  const to = Math.floor((first + passages - 1) / PASSAGES_PER_TEXT);
  const wanted = Array.from({ length: to - from + 1 }, (_, at) => ({ segmentId, at: from + at }));
  const parts = await store.parts('texts', wanted);
  const all = parts.toSorted((a, b) => a.at - b.at).flatMap(({ bytes }) => decodeTexts(bytes));
  const skipped = first - from * PASSAGES_PER_TEXT;
  return all.slice(skipped, skipped + passages);
}

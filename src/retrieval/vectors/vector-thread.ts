import type { Worker } from 'node:worker_threads';
import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { IndexRun, IndexSegment } from '#core/stores/file-index.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { startRetrievalThread } from '../start-thread.ts';
import type { VectorPart, VectorsReply, VectorsRequest } from '../vectors-worker.ts';
import type { FusedScore, KeywordScore } from './rank-vectors.ts';

/** Segments whose vectors are searched, with the sizes of what is stored. */
export interface VectorSegment {
  readonly segment: Pick<IndexSegment, 'id' | 'passages'>;
  readonly runs: readonly IndexRun[];
  readonly bytes: number;
  /** How many parts there are: more than at the last time means that they are read again. */
  readonly parts: number;
}

export interface VectorThread {
  rank(search: VectorSearch, signal: AbortSignalLike): Promise<readonly FusedScore[]>;
}

export interface VectorSearch {
  readonly model: string;
  readonly query: Float32Array;
  readonly segments: readonly VectorSegment[];
  readonly keywords: readonly KeywordScore[];
  readonly limit: number;
  /** Reads the vectors of a segment that the thread does not have. */
  readonly read: (segmentId: number) => Promise<readonly VectorPart[]>;
}

/** Vectors that are kept in memory; more are read again by the next search. */
const MAX_KEPT_BYTES = 64 * 1_048_576;
const IDLE_MS = 300_000;

/** Compares vectors in a thread that keeps the last ones. It starts with the first search. */
export function createVectorThread(clock: Clock): VectorThread {
  let worker: Worker | undefined;
  let idle: Timer | undefined;
  let lastId = 0;
  const pending = new Map<
    number,
    {
      readonly resolve: (found: readonly FusedScore[]) => void;
      readonly reject: (error: CallError) => void;
    }
  >();
  /** By segment and model; the least recently used first. */
  const kept = new Map<number, { readonly key: string; readonly bytes: number }>();
  let last: Promise<unknown> = Promise.resolve();

  function close(error: CallError): void {
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
    kept.clear();
    const ended = worker;
    worker = undefined;
    void ended?.terminate();
  }

  function open(): Worker {
    if (worker) return worker;
    const started = startRetrievalThread('vectors-worker', {});
    started.unref();
    started.on('message', ({ id, found }: VectorsReply) => {
      pending.get(id)?.resolve(found);
      pending.delete(id);
    });
    started.on('error', (thrown) => close(CallError.from(thrown)));
    worker = started;
    return started;
  }

  function post(request: VectorsRequest): void {
    open().postMessage(request);
  }

  async function load(
    { segments, model, read }: VectorSearch,
    signal: AbortSignalLike,
  ): Promise<void> {
    const used = new Set(segments.map(({ segment }) => segment.id));
    for (const { segment, bytes, parts } of segments) {
      signal.throwIfAborted();
      const key = `${model} ${parts}`;
      const known = kept.get(segment.id);
      kept.delete(segment.id);
      if (known?.key !== key) {
        const vectors = await read(segment.id);
        const { id: segmentId, passages } = segment;
        post({ is: 'load', segmentId, passages, parts: vectors });
      }
      kept.set(segment.id, { key, bytes });
    }
    let total = [...kept.values()].reduce((sum, each) => sum + each.bytes, 0);
    for (const [id, { bytes }] of kept) {
      if (total <= MAX_KEPT_BYTES) return;
      if (used.has(id)) continue;
      total -= bytes;
      kept.delete(id);
      post({ is: 'drop', segmentId: id });
    }
  }

  async function rank(
    search: VectorSearch,
    signal: AbortSignalLike,
  ): Promise<readonly FusedScore[]> {
    idle?.stop();
    const { query, segments, keywords, limit } = search;
    try {
      await load(search, signal);
      lastId += 1;
      const id = lastId;
      return await new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        post({
          is: 'search',
          id,
          query,
          segments: segments.map(({ segment, runs }) => ({ id: segment.id, runs })),
          keywords,
          limit,
        });
      });
    } finally {
      idle = clock.after(IDLE_MS, () => close(new CallError('interrupted', 'It was idle.')));
    }
  }

  return {
    // One after the other, so that none drops what another needs.
    rank(search, signal) {
      const turn = last.then(() => rank(search, signal));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

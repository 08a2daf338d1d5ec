import { parentPort } from 'node:worker_threads';
import {
  rankFused,
  type FusedScore,
  type KeywordScore,
  type LoadedVectors,
} from './vectors/rank-vectors.ts';
import { decodeVectors, PASSAGES_PER_VECTORS } from './vectors/vector-format.ts';

export interface VectorPart {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** What the thread is told. `search` is answered with `found`. */
export type VectorsRequest =
  | {
      readonly is: 'load';
      readonly segmentId: number;
      readonly passages: number;
      readonly parts: readonly VectorPart[];
    }
  | { readonly is: 'drop'; readonly segmentId: number }
  | {
      readonly is: 'search';
      readonly id: number;
      readonly query: Float32Array;
      readonly segments: readonly {
        readonly id: number;
        readonly runs: readonly { readonly first: number; readonly passages: number }[];
      }[];
      readonly keywords: readonly KeywordScore[];
      readonly limit: number;
    };

export interface VectorsReply {
  readonly id: number;
  readonly found: readonly FusedScore[];
}

const segments = new Map<number, LoadedVectors>();

function load(passageCount: number, parts: readonly VectorPart[]): LoadedVectors {
  const decoded = parts.map(({ at, bytes }) => ({ at, packed: decodeVectors(bytes) }));
  const size = decoded.reduce((most, { packed }) => Math.max(most, packed.size), 0);
  const used = decoded.filter(({ packed }) => packed.size === size);
  const count = used.reduce((sum, { packed }) => sum + packed.scales.length, 0);
  const passages = new Uint32Array(count);
  const scales = new Float32Array(count);
  const numbers = new Int8Array(count * size);
  const sum = new Float64Array(size);
  let next = 0;
  for (const { at, packed } of used.toSorted((a, b) => a.at - b.at)) {
    numbers.set(packed.numbers, next * size);
    scales.set(packed.scales, next);
    for (const [place, times] of packed.counts.entries()) {
      passages.fill(at * PASSAGES_PER_VECTORS + place, next, next + times);
      next += times;
    }
  }
  for (const [vector, scale] of scales.entries()) {
    for (let at = 0; at < size; at += 1) {
      sum[at] = (sum[at] ?? 0) + scale * (numbers[vector * size + at] ?? 0);
    }
  }
  return { size, passages, passageCount, scales, numbers, sum };
}

parentPort?.on('message', (request: VectorsRequest) => {
  switch (request.is) {
    case 'load':
      segments.set(request.segmentId, load(request.passages, request.parts));
      return;
    case 'drop':
      segments.delete(request.segmentId);
      return;
    case 'search': {
      const { id, query, keywords, limit } = request;
      const ranked = request.segments.flatMap((segment) => {
        const loaded = segments.get(segment.id);
        return loaded ? [{ ...segment, loaded: fitting(loaded, query.length) }] : [];
      });
      const found = rankFused(query, ranked, keywords, limit);
      parentPort?.postMessage({ id, found } satisfies VectorsReply);
    }
  }
});

/** Without vectors of another size: the model has changed. */
function fitting(loaded: LoadedVectors, size: number): LoadedVectors {
  if (loaded.size === size) return loaded;
  const none = { passages: new Uint32Array(0), scales: new Float32Array(0) };
  return { ...loaded, ...none, size, numbers: new Int8Array(0), sum: new Float64Array(size) };
}

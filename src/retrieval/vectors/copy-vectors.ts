import type { FileIndexStore, IndexRun } from '#core/stores/file-index.ts';
import {
  decodeVectors,
  encodeVectors,
  PASSAGES_PER_VECTORS,
  vectorsOf,
  type PackedVectors,
} from './vector-format.ts';

/** Where a passage is. */
interface Place {
  readonly segmentId: number;
  readonly passage: number;
}

/** Copies vectors to the segments that replace others. `from` and `to` have the same passages of each file, in the same order. */
export async function copyVectors(
  from: readonly IndexRun[],
  to: readonly IndexRun[],
  store: Pick<FileIndexStore, 'vectorModels' | 'vectors' | 'saveVectors'>,
): Promise<void> {
  const replaced = [...new Set(from.map(({ segmentId }) => segmentId))];
  for (const model of await store.vectorModels(replaced)) {
    const old = new Map<string, PackedVectors>();
    for (const segmentId of replaced) {
      for (const { at, bytes } of await store.vectors(model, segmentId)) {
        old.set(`${segmentId} ${at}`, decodeVectors(bytes));
      }
    }
    const sources = sourcesOf(from, to);
    for (const segmentId of new Set(to.map((run) => run.segmentId))) {
      const passages = to
        .filter((run) => run.segmentId === segmentId)
        .reduce((most, run) => Math.max(most, run.first + run.passages), 0);
      for (let at = 0; at * PASSAGES_PER_VECTORS < passages; at += 1) {
        const count = Math.min(PASSAGES_PER_VECTORS, passages - at * PASSAGES_PER_VECTORS);
        const vectors = Array.from({ length: count }, (_, place) => {
          const source = sources.get(`${segmentId} ${at * PASSAGES_PER_VECTORS + place}`);
          return source && readOld(source, old);
        });
        // A part with a passage that has none yet is made again as a whole.
        if (!vectors.every((each) => each !== undefined)) continue;
        await store.saveVectors(model, [{ segmentId, at, bytes: encodeVectors(vectors) }]);
      }
    }
  }
}

/** Where each passage was before. */
function sourcesOf(from: readonly IndexRun[], to: readonly IndexRun[]): ReadonlyMap<string, Place> {
  const before = placesByFile(from);
  const sources = new Map<string, Place>();
  for (const [fileId, places] of placesByFile(to)) {
    const own = before.get(fileId) ?? [];
    for (const [at, { segmentId, passage }] of places.entries()) {
      const source = own[at];
      if (source) sources.set(`${segmentId} ${passage}`, source);
    }
  }
  return sources;
}

function placesByFile(runs: readonly IndexRun[]): ReadonlyMap<number, readonly Place[]> {
  const found = new Map<number, Place[]>();
  for (const { fileId, segmentId, first, passages } of runs) {
    const places = found.get(fileId) ?? [];
    for (let at = 0; at < passages; at += 1) places.push({ segmentId, passage: first + at });
    found.set(fileId, places);
  }
  return found;
}

function readOld(
  { segmentId, passage }: Place,
  old: ReadonlyMap<string, PackedVectors>,
): readonly Float32Array[] | undefined {
  const packed = old.get(`${segmentId} ${Math.floor(passage / PASSAGES_PER_VECTORS)}`);
  return packed && vectorsOf(packed, passage % PASSAGES_PER_VECTORS);
}

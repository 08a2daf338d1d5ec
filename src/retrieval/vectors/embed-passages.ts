import { CallError } from '#core/errors/call-error.ts';
import type { PassageEmbedder } from '#core/files/passage-embedder.ts';
import type { FilePassage } from '#core/files/passage.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { FileIndexStore, IndexRun } from '#core/stores/file-index.ts';
import { decodeTexts, PASSAGES_PER_TEXT } from '../segment-format.ts';
import { splitPieces } from './split-pieces.ts';
import { encodeVectors, PASSAGES_PER_VECTORS } from './vector-format.ts';

export interface EmbedPassagesOptions {
  readonly principal: string;
  readonly store: FileIndexStore;
  readonly embedder: PassageEmbedder;
  readonly signal: AbortSignalLike;
  /** Yields the event loop, and throws when the call has ended. */
  readonly pause: () => Promise<void>;
}

const TEXTS_PER_PART = PASSAGES_PER_VECTORS / PASSAGES_PER_TEXT;

/**
 * Makes the vectors that the added files of a principal lack. Each part is stored when it is made, so that
 * a run that was ended continues where it was. Files that were indexed for a question get none: their
 * question would wait for them.
 */
export async function embedPassages(options: EmbedPassagesOptions): Promise<void> {
  const { principal, store, embedder, signal, pause } = options;
  const made = await store.vectorParts(principal, embedder.id);
  const known = new Set(made.map(({ segmentId, at }) => `${segmentId} ${at}`));
  const living = bySegment(await store.runs(principal));
  for (const [segmentId, added] of bySegment(await store.runs(principal, 'added'))) {
    for (const at of partsOf(added)) {
      if (known.has(`${segmentId} ${at}`)) continue;
      await pause();
      const passages = await readPassages(segmentId, at, store);
      const pieces = passages.map((passage, place) =>
        isIn(living.get(segmentId) ?? [], at * PASSAGES_PER_VECTORS + place)
          ? splitPieces(passage, embedder)
          : [],
      );
      const texts = pieces.flat();
      const vectors = texts.length === 0 ? [] : await embedder.embed(texts, { principal, signal });
      if (vectors.length !== texts.length) throw notAsMany();
      let next = 0;
      const bytes = encodeVectors(
        pieces.map(({ length }) => vectors.slice(next, (next += length))),
      );
      await store.saveVectors(embedder.id, [{ segmentId, at, bytes }]);
    }
  }
}

function bySegment(runs: readonly IndexRun[]): ReadonlyMap<number, readonly IndexRun[]> {
  const found = new Map<number, IndexRun[]>();
  for (const run of runs) {
    const list = found.get(run.segmentId);
    if (list) list.push(run);
    else found.set(run.segmentId, [run]);
  }
  return found;
}

function partsOf(runs: readonly IndexRun[]): ReadonlySet<number> {
  const parts = new Set<number>();
  for (const { first, passages } of runs) {
    const last = Math.floor((first + passages - 1) / PASSAGES_PER_VECTORS);
    for (let at = Math.floor(first / PASSAGES_PER_VECTORS); at <= last; at += 1) parts.add(at);
  }
  return parts;
}

function isIn(runs: readonly IndexRun[], passage: number): boolean {
  return runs.some(({ first, passages }) => passage >= first && passage < first + passages);
}

async function readPassages(
  segmentId: number,
  at: number,
  store: Pick<FileIndexStore, 'parts'>,
): Promise<readonly FilePassage[]> {
  const wanted = Array.from({ length: TEXTS_PER_PART }, (_, each) => ({
    segmentId,
    at: at * TEXTS_PER_PART + each,
  }));
  const parts = await store.parts('texts', wanted);
  return parts.toSorted((a, b) => a.at - b.at).flatMap(({ bytes }) => decodeTexts(bytes));
}

function notAsMany(): CallError {
  return new CallError('bad_response', 'The vectors are not as many as the texts.');
}

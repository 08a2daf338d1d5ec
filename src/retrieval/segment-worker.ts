import { parentPort } from 'node:worker_threads';
import type { FilePassage } from '#core/files/passage.ts';
import { createSegmentBuilder, type BuiltSegment, type PassageOwner } from './segment-builder.ts';
import { splitPassages, type PassageSource } from './split-passages.ts';

/** What the thread is told, in this order for each file; `segment` is answered with `stored`. */
export type SegmentRequest =
  | { readonly is: 'file'; readonly owner: PassageOwner; readonly source: PassageSource }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'end' }
  | {
      readonly is: 'passages';
      readonly owner: PassageOwner;
      readonly passages: readonly FilePassage[];
    }
  | { readonly is: 'flush' }
  | { readonly is: 'stored' };

export type SegmentReply =
  | { readonly is: 'segment'; readonly segment: BuiltSegment }
  | { readonly is: 'done'; readonly passages: number };

const builder = createSegmentBuilder();
let owner: PassageOwner = { fileId: 0, name: '' };
let source: PassageSource = 'lines';
let slices: string[] = [];
let stored: () => void = () => undefined;

async function emitSegment(): Promise<void> {
  if (builder.isEmpty) return;
  const segment = builder.take();
  const isStored = new Promise<void>((resolve) => {
    stored = resolve;
  });
  const buffers = [...segment.postings, ...segment.texts].map(
    ({ bytes }) => bytes.buffer as ArrayBuffer,
  );
  parentPort?.postMessage({ is: 'segment', segment } satisfies SegmentReply, [
    ...buffers,
    segment.lengths.buffer,
  ]);
  // So that no more than one segment waits.
  await isStored;
}

async function addAll(passages: Iterable<FilePassage>, of: PassageOwner): Promise<void> {
  let count = 0;
  for (const passage of passages) {
    if (builder.isFull) await emitSegment();
    builder.add(passage, of);
    count += 1;
  }
  done(count);
}

async function flush(): Promise<void> {
  await emitSegment();
  done(0);
}

function done(passages: number): void {
  parentPort?.postMessage({ is: 'done', passages } satisfies SegmentReply);
}

parentPort?.on('message', (request: SegmentRequest) => {
  switch (request.is) {
    case 'file':
      ({ owner, source } = request);
      slices = [];
      return;
    case 'text':
      slices.push(request.text);
      return;
    case 'end': {
      const text = slices.join('');
      slices = [];
      void addAll(splitPassages(text, source), owner);
      return;
    }
    case 'passages':
      void addAll(request.passages, request.owner);
      return;
    case 'flush':
      void flush();
      return;
    case 'stored':
      stored();
  }
});

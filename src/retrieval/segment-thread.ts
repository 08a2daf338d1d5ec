import type { Worker } from 'node:worker_threads';
import { CallError } from '#core/errors/call-error.ts';
import type { FilePassage } from '#core/files/passage.ts';
import type { BuiltSegment, PassageOwner } from './segment-builder.ts';
import type { SegmentReply, SegmentRequest } from './segment-worker.ts';
import type { PassageSource } from './split-passages.ts';
import { startRetrievalThread } from './start-thread.ts';

/** Builds segments in a thread. One operation runs at a time. */
export interface SegmentThread {
  /** Resolves with the number of passages, when the thread can take the next file. */
  addText(owner: PassageOwner, source: PassageSource, text: string): Promise<number>;
  addPassages(owner: PassageOwner, passages: readonly FilePassage[]): Promise<number>;
  /** Emits what is left. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Enough for a segment and a file of 100 MB. */
const MEMORY = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 32 };
/** What is copied to the thread without yielding to the event loop. */
const SLICE_CHARS = 1_000_000;

/** `pause` yields the event loop. */
export function startSegmentThread(
  store: (segment: BuiltSegment) => Promise<void>,
  pause: () => Promise<void>,
): SegmentThread {
  const worker: Worker = startRetrievalThread('segment-worker', { resourceLimits: MEMORY });
  worker.unref();
  let pending: { resolve(passages: number): void; reject(error: CallError): void } | undefined;
  let failure: CallError | undefined;

  function fail(thrown: unknown): void {
    failure ??= toError(thrown);
    pending?.reject(failure);
    pending = undefined;
  }

  worker.on('message', (reply: SegmentReply) => {
    if (reply.is === 'done') {
      pending?.resolve(reply.passages);
      pending = undefined;
      return;
    }
    store(reply.segment).then(() => post({ is: 'stored' }), fail);
  });
  worker.on('error', fail);
  worker.on('exit', () => fail(new CallError('interrupted', 'The indexing was stopped.')));

  function post(request: SegmentRequest): void {
    worker.postMessage(request);
  }

  function run(send: () => void | Promise<void>): Promise<number> {
    if (failure) return Promise.reject(failure);
    return new Promise((resolve, reject) => {
      pending = { resolve, reject };
      Promise.resolve(send()).catch(fail);
    });
  }

  return {
    addText: (owner, source, text) =>
      run(async () => {
        post({ is: 'file', owner, source });
        for (let at = 0; at < text.length; at += SLICE_CHARS) {
          post({ is: 'text', text: text.slice(at, at + SLICE_CHARS) });
          await pause();
        }
        post({ is: 'end' });
      }),
    addPassages: (owner, passages) => run(() => post({ is: 'passages', owner, passages })),
    flush: async () => void (await run(() => post({ is: 'flush' }))),
    async close() {
      worker.removeAllListeners('exit');
      await worker.terminate();
    },
  };
}

function toError(thrown: unknown): CallError {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY') return CallError.from(thrown);
  return new CallError('too_large', 'Indexing the file needs more memory than it may use.', {
    field: 'files',
    fix: 'Index parts of the file.',
  });
}

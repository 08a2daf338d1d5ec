import type { Worker } from 'node:worker_threads';
import { CallError } from '#core/errors/call-error.ts';
import type { DocumentSource, ReadDocument } from '#core/extract/document.ts';
import type { Extractor } from '#core/extract/extractor.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { requireDocumentSize } from '../documents/document-errors.ts';
import { startExtractionThread } from './extraction-thread.ts';
import type { ExtractionReply, ExtractionRequest } from './extraction-worker.ts';
import { attachTexts, type LargeText } from './large-texts.ts';
import { memoryLimitFor, otherThreadsBytes } from './thread-memory.ts';

export interface ExtractionPoolOptions {
  readonly clock: Clock;
  /** How long a document may take; default: 16 seconds, and 4 more for each MiB. */
  readonly timeLimitMs?: number;
  /** Default: 2. */
  readonly threads?: number;
  /** How many documents may wait; default: 64. Each holds its bytes in memory. */
  readonly maxWaiting?: number;
  /** Bytes of all threads but the calling one; replaced in tests. */
  readonly readMemory?: () => number;
  /** Starts a thread; replaced in tests. */
  readonly startThread?: () => Worker;
}

/** An extractor whose threads end with `close`. */
export interface ExtractionPool extends Extractor {
  close(): Promise<void>;
}

interface PendingExtraction {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly source: DocumentSource;
  /** Bytes that the thread has. */
  sentBytes: number;
  /** What was extracted, while its large texts arrive. */
  result?: ArrivingDocument;
  resolve(document: ReadDocument): void;
  reject(error: CallError): void;
}

interface ArrivingDocument {
  readonly document: ReadDocument;
  readonly large: readonly LargeText[];
  readonly slices: string[];
}

interface ExtractionThread {
  readonly worker: Worker;
  job: PendingExtraction | undefined;
  /** Limits the current job, or the idle time. */
  timer: Timer | undefined;
  /** Compares the memory with the limit while a job runs. */
  memoryTimer: Timer | undefined;
}

const TIME_LIMIT_MS = 16_000;
const TIME_PER_MIB_MS = 4000;
const MAX_TIME_LIMIT_MS = 180_000;
/** A thread that has not begun by then: the machine is overloaded. */
const BEGIN_WITHIN_MS = 30_000;
const MEMORY_CHECK_MS = 100;
const MAX_WAITING = 64;
const CHUNK_BYTES = 4 * 1024 * 1024;
const MAX_THREADS = 2;
/** An idle thread ends after this, so that a daemon that reads nothing needs no memory for it. */
const IDLE_MS = 30_000;

/**
 * Extracts documents in threads, which start with the first document. A document that takes too
 * long or needs too much memory, and a cancelled one, end their thread; the next document gets a
 * new one.
 */
export function createExtractionPool(options: ExtractionPoolOptions): ExtractionPool {
  const {
    clock,
    timeLimitMs,
    threads: maxThreads = MAX_THREADS,
    maxWaiting = MAX_WAITING,
    readMemory = otherThreadsBytes,
    startThread = startExtractionThread,
  } = options;
  const threads = new Set<ExtractionThread>();
  const waiting: PendingExtraction[] = [];
  let lastId = 0;
  let isClosed = false;

  function startNext(): void {
    const job = waiting[0];
    if (job === undefined) return;
    const thread = [...threads].find((each) => each.job === undefined) ?? addThread();
    if (thread === undefined) return;
    waiting.shift();
    run(thread, job);
  }

  function addThread(): ExtractionThread | undefined {
    if (threads.size >= maxThreads) return undefined;
    const thread: ExtractionThread = {
      worker: startThread(),
      job: undefined,
      timer: undefined,
      memoryTimer: undefined,
    };
    thread.worker.unref();
    thread.worker.on('message', (reply: ExtractionReply) => onReply(thread, reply));
    thread.worker.on('error', (thrown: NodeJS.ErrnoException) => replace(thread, toError(thrown)));
    thread.worker.on('exit', () => replace(thread, endedEarly()));
    threads.add(thread);
    return thread;
  }

  function run(thread: ExtractionThread, job: PendingExtraction): void {
    thread.job = job;
    thread.timer?.stop();
    thread.timer = clock.after(BEGIN_WITHIN_MS, () => replace(thread, overloaded()));
    const { id, source } = job;
    const chunk = nextChunk(job);
    send(thread, { is: 'read', id, source, size: job.bytes.length, chunk }, chunk);
  }

  function send(thread: ExtractionThread, request: ExtractionRequest, chunk?: Uint8Array): void {
    thread.worker.postMessage(request, chunk ? [chunk.buffer as ArrayBuffer] : []);
  }

  /** Requests the next slices of large texts, or settles the document. */
  function collect(
    thread: ExtractionThread,
    job: PendingExtraction,
    { document, large, slices }: ArrivingDocument,
  ): void {
    const expected = large.reduce((sum, each) => sum + each.slices, 0);
    if (slices.length < expected) {
      send(thread, { is: 'next', id: job.id });
      return;
    }
    release(thread);
    job.resolve(attachTexts(document, large, slices));
    startNext();
  }

  /**
   * Ends the thread if the memory of all threads grew by more than their documents may need. A
   * thread that shares the fault of another one ends too, rather than the process.
   */
  function watchMemory(thread: ExtractionThread, startBytes: number): void {
    thread.memoryTimer = clock.after(MEMORY_CHECK_MS, () => {
      let limit = 0;
      for (const { job } of threads) if (job) limit += memoryLimitFor(job.bytes.length);
      if (readMemory() - startBytes > limit) replace(thread, needsTooMuchMemory());
      else watchMemory(thread, startBytes);
    });
  }

  function release(thread: ExtractionThread): void {
    thread.timer?.stop();
    thread.memoryTimer?.stop();
    thread.job = undefined;
    thread.timer = clock.after(IDLE_MS, () => end(thread));
  }

  function onReply(thread: ExtractionThread, reply: ExtractionReply): void {
    const { job } = thread;
    if (job === undefined || reply.id !== job.id) return;
    switch (reply.is) {
      case 'wants': {
        const chunk = nextChunk(job);
        send(thread, { is: 'bytes', id: job.id, chunk }, chunk);
        return;
      }
      case 'begun': {
        thread.timer?.stop();
        const limitMs = timeLimitMs ?? timeLimitFor(job.bytes.length);
        thread.timer = clock.after(limitMs, () => replace(thread, tookTooLong(limitMs)));
        watchMemory(thread, readMemory());
        return;
      }
      case 'extracted':
        job.result = { document: reply.document, large: reply.large, slices: [] };
        collect(thread, job, job.result);
        return;
      case 'slices':
        job.result?.slices.push(...reply.slices);
        if (job.result) collect(thread, job, job.result);
        return;
      case 'failed':
        release(thread);
        job.reject(CallError.fromJSON(reply.error));
        startNext();
    }
  }

  /** Ends a thread that failed or was too slow, with its document, and continues with the next. */
  function replace(thread: ExtractionThread, error: CallError): void {
    const { job } = thread;
    end(thread);
    job?.reject(error);
    startNext();
  }

  function end(thread: ExtractionThread): void {
    thread.timer?.stop();
    thread.memoryTimer?.stop();
    thread.timer = undefined;
    thread.job = undefined;
    if (threads.delete(thread)) void thread.worker.terminate();
  }

  function cancel(id: number, error: CallError): void {
    const at = waiting.findIndex((job) => job.id === id);
    if (at !== -1) {
      waiting.splice(at, 1)[0]?.reject(error);
      return;
    }
    const thread = [...threads].find(({ job }) => job?.id === id);
    if (thread) replace(thread, error);
  }

  return {
    async extract(bytes, source, signal) {
      if (isClosed) throw new CallError('interrupted', 'The daemon is stopping.');
      if (signal.aborted) throw CallError.from(signal.reason);
      requireDocumentSize(bytes.length);
      if (waiting.length >= maxWaiting) throw tooManyWaiting();
      lastId += 1;
      const id = lastId;
      const onAbort = () => cancel(id, CallError.from(signal.reason));
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await new Promise<ReadDocument>((resolve, reject) => {
          waiting.push({ id, bytes, source, sentBytes: 0, resolve, reject });
          startNext();
        });
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },

    async close() {
      isClosed = true;
      const stopped = new CallError('interrupted', 'The daemon is stopping.');
      for (const job of waiting.splice(0)) job.reject(stopped);
      const ended = [...threads].map((thread) => {
        const { job, worker } = thread;
        end(thread);
        job?.reject(stopped);
        return worker.terminate();
      });
      await Promise.all(ended);
    },
  };
}

/**
 * The next bytes for the thread: a copy, so that its memory can be handed over without taking it
 * from the caller. A large document is copied in several turns of the event loop.
 */
function nextChunk(job: PendingExtraction): Uint8Array {
  const start = job.sentBytes;
  job.sentBytes = Math.min(job.bytes.length, start + CHUNK_BYTES);
  return new Uint8Array(job.bytes.subarray(start, job.sentBytes));
}

function timeLimitFor(bytes: number): number {
  const mib = Math.ceil(bytes / (1024 * 1024));
  return Math.min(MAX_TIME_LIMIT_MS, TIME_LIMIT_MS + TIME_PER_MIB_MS * mib);
}

function toError(thrown: NodeJS.ErrnoException): CallError {
  return thrown.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? needsTooMuchMemory(thrown)
    : CallError.from(thrown);
}

function needsTooMuchMemory(cause?: unknown): CallError {
  return new CallError('too_large', 'Reading the document needs too much memory.', {
    field: 'document',
    fix: 'Read a smaller document, or a part of this one.',
    ...(cause !== undefined && { cause }),
  });
}

function tookTooLong(limitMs: number): CallError {
  return new CallError('timeout', `The document could not be read within ${limitMs} ms.`, {
    field: 'document',
    fix: 'Read a smaller document, or a part of this one.',
    retry: 'never',
  });
}

function endedEarly(): CallError {
  return new CallError('internal', 'The extraction thread ended without a result.');
}

function overloaded(): CallError {
  return new CallError('over_capacity', 'No extraction thread could be started.', {
    retryAfterMs: 1000,
  });
}

function tooManyWaiting(): CallError {
  return new CallError('over_capacity', 'Too many documents are waiting to be read.', {
    retryAfterMs: 1000,
  });
}

import { CallError } from './errors/call-error.ts';
import type { AbortSignalLike } from './net/abort.ts';

/**
 * An iterator whose first read rejects, so that a request that cannot start fails like a stream.
 */
export function rejectingIterator<T>(error: Error): AsyncIterableIterator<T> {
  return {
    next: () => Promise.reject(error),
    return: () => Promise.resolve({ done: true, value: undefined }),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** A source that yields items in batches. */
export interface BatchSource<T> {
  /** Nothing at the end. */
  next(): Promise<readonly T[] | undefined>;
  /** The rest is not needed. */
  close(): void;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Flattens batches into an async iterator. Cheaper than a generator, which awaits several promises
 * per item; here an item that is already there costs one.
 */
export function flattenBatches<T>(batches: BatchSource<T>): AsyncIterableIterator<T> {
  let batch: readonly T[] = [];
  let at = 0;
  let isOver = false;
  let pulling: Promise<IteratorResult<T, undefined>> | undefined;

  async function pull(): Promise<IteratorResult<T, undefined>> {
    try {
      while (!isOver) {
        const next = await batches.next();
        if (!next) isOver = true;
        else if (next.length > 0) {
          batch = next;
          at = 1;
          return { done: false, value: next[0] as T };
        }
      }
      return END;
    } catch (thrown) {
      isOver = true;
      throw thrown;
    } finally {
      pulling = undefined;
    }
  }

  /** Queues a call of `next` behind a pending one. */
  async function after(asked: Promise<unknown>): Promise<IteratorResult<T, undefined>> {
    try {
      await asked;
    } catch {
      // The first caller gets the error.
    }
    return next();
  }

  function next(): Promise<IteratorResult<T, undefined>> {
    if (at < batch.length) return Promise.resolve({ done: false, value: batch[at++] as T });
    if (isOver) return Promise.resolve(END);
    if (pulling) return after(pulling);
    pulling = pull();
    return pulling;
  }

  return {
    next,
    return() {
      isOver = true;
      batch = [];
      batches.close();
      return Promise.resolve(END);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

interface TapOptions<T> {
  /** An event to emit before this one. */
  readonly before?: (event: T) => T | undefined;
  /** Maps the error that ends the events. */
  readonly onFailure?: (thrown: unknown) => unknown;
}

/**
 * Passes events on and observes them. `return` ends the source at once, which a generator could do
 * only after the next event.
 */
export function tapIterator<T>(
  events: AsyncIterable<T>,
  { before, onFailure }: TapOptions<T>,
): AsyncIterableIterator<T> {
  const source = events[Symbol.asyncIterator]();
  let waiting: IteratorResult<T> | undefined;
  return {
    async next() {
      if (waiting) {
        const next = waiting;
        waiting = undefined;
        return next;
      }
      try {
        const next = await source.next();
        const first = next.done === true ? undefined : before?.(next.value);
        if (first === undefined) return next;
        waiting = next;
        return { done: false, value: first };
      } catch (thrown) {
        throw onFailure?.(thrown) ?? thrown;
      }
    },
    async return() {
      waiting = undefined;
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const FINISHED: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * An iterator whose source is opened by the first `next`. Returning before that aborts the opening;
 * afterwards calls go directly to the source.
 */
export function deferIterator<T>(
  open: (stop: AbortSignalLike) => Promise<AsyncIterable<T>>,
): AsyncIterableIterator<T> {
  const stop = new AbortController();
  let source: AsyncIterator<T> | undefined;
  let opening: Promise<AsyncIterator<T>> | undefined;
  let isOver = false;

  async function begin(): Promise<AsyncIterator<T>> {
    source = (await open(stop.signal))[Symbol.asyncIterator]();
    return source;
  }

  async function first(): Promise<IteratorResult<T, undefined>> {
    if (isOver) return FINISHED;
    opening ??= begin();
    try {
      const found = await opening;
      return isOver ? FINISHED : await found.next();
    } catch (thrown) {
      // Errors after `return` are dropped.
      if (isOver) return FINISHED;
      throw thrown;
    }
  }

  return {
    next: () => (source ? source.next() : first()),
    async return() {
      isOver = true;
      if (source) await source.return?.();
      else stop.abort(new CallError('cancelled', 'No caller waits for this answer any more.'));
      return FINISHED;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

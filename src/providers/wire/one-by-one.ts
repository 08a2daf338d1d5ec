/** Things that come in batches. */
export interface Batches<T> {
  /** Nothing when there are no more. */
  next(): Promise<readonly T[] | undefined>;
  /** Nobody wants the rest. */
  close(): void;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Hands out one by one what comes in batches. Most of what a stream costs is waiting for promises, and a generator waits for several
 * with each thing it yields; here what has come already waits for one.
 */
export function oneByOne<T>(batches: Batches<T>): AsyncIterableIterator<T> {
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

  /** Whoever asks again before the answer is there stands in line. */
  async function after(asked: Promise<unknown>): Promise<IteratorResult<T, undefined>> {
    try {
      await asked;
    } catch {
      // Told to whoever asked first.
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

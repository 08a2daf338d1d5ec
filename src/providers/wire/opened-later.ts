import { CallError } from '#core/call-error.ts';
import type { Cancel } from '#core/http.ts';

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Events whose source is found when they are first asked for; who leaves before stops the finding. From then on nothing stands between
 * the source and its reader.
 */
export function openedLater<T>(
  open: (stop: Cancel) => Promise<AsyncIterable<T>>,
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
    if (isOver) return END;
    opening ??= begin();
    try {
      const found = await opening;
      return isOver ? END : await found.next();
    } catch (thrown) {
      // Whoever has left is told of nothing.
      if (isOver) return END;
      throw thrown;
    }
  }

  return {
    next: () => (source ? source.next() : first()),
    async return() {
      isOver = true;
      if (source) await source.return?.();
      else stop.abort(new CallError('cancelled', 'Nobody waits for this answer any more.'));
      return END;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

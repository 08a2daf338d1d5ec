import type { AbortSignalLike } from './abort.ts';

/**
 * The items of a source until a signal aborts, even if the source does not respond. Throws the
 * signal's reason then; the source is told to end and not waited for.
 */
export async function* untilAborted<T>(
  source: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignalLike | undefined,
): AsyncGenerator<T, void, undefined> {
  if (!signal) {
    yield* source;
    return;
  }
  signal.throwIfAborted();
  const iterator =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  // A promise for the whole source would keep every item in memory, so each step has its own.
  let wake = () => {};
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort, { once: true });
  let isOver = false;
  try {
    for (;;) {
      const item = await new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
        wake = () => resolve(undefined);
        Promise.resolve(iterator.next()).then(resolve, reject);
      });
      signal.throwIfAborted();
      if (!item || item.done) {
        isOver = true;
        return;
      }
      yield item.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (!isOver) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

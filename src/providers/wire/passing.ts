export interface Passing<T> {
  /** Something to be told before it. */
  readonly before?: (event: T) => T | undefined;
  /** What is thrown in place of what ended them. */
  readonly onFailure?: (thrown: unknown) => unknown;
}

/** Events handed on, and looked at. Who leaves ends their source at once, which a generator could do only after the next one came. */
export function passing<T>(
  events: AsyncIterable<T>,
  { before, onFailure }: Passing<T>,
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

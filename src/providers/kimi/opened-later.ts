const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Events whose source is found when they are first asked for. From then on nothing stands between the source and its reader. */
export function openedLater<T>(open: () => Promise<AsyncIterable<T>>): AsyncIterableIterator<T> {
  let source: AsyncIterator<T> | undefined;
  let opening: Promise<AsyncIterator<T>> | undefined;
  let isOver = false;

  async function begin(): Promise<AsyncIterator<T>> {
    source = (await open())[Symbol.asyncIterator]();
    return source;
  }

  async function first(): Promise<IteratorResult<T, undefined>> {
    if (isOver) return END;
    opening ??= begin();
    const found = await opening;
    return isOver ? END : found.next();
  }

  return {
    next: () => (source ? source.next() : first()),
    async return() {
      isOver = true;
      await source?.return?.();
      return END;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Something to be read that fails as soon as it is: an answer that cannot even begin fails as every other does. */
export function failing<T>(error: Error): AsyncIterableIterator<T> {
  return {
    next: () => Promise.reject(error),
    return: () => Promise.resolve({ done: true, value: undefined }),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Memoises a function without arguments: it runs on the first call only. */
export function lazy<T extends {}>(work: () => T): () => T {
  let result: T | undefined;
  return () => (result ??= work());
}

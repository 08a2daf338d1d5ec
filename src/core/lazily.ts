/** What is worked out when it is first asked for, and once. */
export function lazily<T extends {}>(work: () => T): () => T {
  let result: T | undefined;
  return () => (result ??= work());
}

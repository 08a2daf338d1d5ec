/** Things from several sources, by key and in order. The first source to bring a key keeps it. */
export interface Shelf<T> {
  /** Puts the things of a source in place of those it had. */
  put(source: string, things: readonly T[]): void;
  find(key: string): T | undefined;
  /** Sorted by key; the same array until something changes. */
  all(): readonly T[];
  /** In the order in which they were put. */
  inOrder(): readonly T[];
}

export function createShelf<T>(keyOf: (thing: T) => string, onChange: () => void): Shelf<T> {
  const sources = new Map<string, readonly T[]>();
  let byKey = new Map<string, T>();
  let sorted: readonly T[] = [];
  return {
    put(source, things) {
      sources.set(source, things);
      byKey = new Map();
      for (const thing of [...sources.values()].flat()) {
        if (!byKey.has(keyOf(thing))) byKey.set(keyOf(thing), thing);
      }
      sorted = [...byKey.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
      onChange();
    },
    find: (key) => byKey.get(key),
    all: () => sorted,
    inOrder: () => [...byKey.values()],
  };
}

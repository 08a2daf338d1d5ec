/** An LRU map of bounded size: a new entry evicts the least recently used ones if necessary. */
export interface BoundedMap<Key, Value> {
  readonly size: number;
  /** Total weight of all entries, by `weigh`. */
  readonly weight: number;
  /** Counts as a use of the entry. */
  get(key: Key): Value | undefined;
  /** Does not count as a use. */
  has(key: Key): boolean;
  /** An entry heavier than `maxWeight` is not stored. */
  set(key: Key, value: Value): void;
  delete(key: Key): boolean;
  clear(): void;
  /** Least recently used first. */
  values(): Value[];
}

export interface BoundedMapOptions<Key, Value> {
  readonly maxEntries?: number;
  readonly maxWeight?: number;
  readonly weigh?: (value: Value, key: Key) => number;
  /** Called for evicted entries, not for deleted or replaced ones. */
  readonly onEvict?: (value: Value, key: Key) => void;
}

interface Entry<Key, Value> {
  readonly key: Key;
  value: Value;
  weight: number;
  older: Entry<Key, Value> | undefined;
  newer: Entry<Key, Value> | undefined;
}

/**
 * Entries are linked in order of use; deleting and re-adding a Map entry with each `get` is several
 * times slower.
 */
export function createBoundedMap<Key, Value>(
  options: BoundedMapOptions<Key, Value>,
): BoundedMap<Key, Value> {
  const { maxEntries = Infinity, maxWeight = Infinity, weigh = () => 0, onEvict } = options;
  const entries = new Map<Key, Entry<Key, Value>>();
  let oldest: Entry<Key, Value> | undefined;
  let newest: Entry<Key, Value> | undefined;
  let weight = 0;

  function link(entry: Entry<Key, Value>): void {
    entry.older = newest;
    entry.newer = undefined;
    if (newest) newest.newer = entry;
    else oldest = entry;
    newest = entry;
  }

  function unlink({ older, newer }: Entry<Key, Value>): void {
    if (older) older.newer = newer;
    else oldest = newer;
    if (newer) newer.older = older;
    else newest = older;
  }

  function remove(entry: Entry<Key, Value>): void {
    entries.delete(entry.key);
    unlink(entry);
    weight -= entry.weight;
  }

  return {
    get size() {
      return entries.size;
    },
    get weight() {
      return weight;
    },
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (entry !== newest) {
        unlink(entry);
        link(entry);
      }
      return entry.value;
    },
    has: (key) => entries.has(key),
    set(key, value) {
      const known = entries.get(key);
      const added = weigh(value, key);
      if (added > maxWeight) {
        if (known) remove(known);
        return;
      }
      const entry = known ?? { key, value, weight: 0, older: undefined, newer: undefined };
      if (known) unlink(known);
      else entries.set(key, entry);
      link(entry);
      weight += added - entry.weight;
      entry.value = value;
      entry.weight = added;
      while (oldest && oldest !== entry && (entries.size > maxEntries || weight > maxWeight)) {
        const evicted = oldest;
        remove(evicted);
        onEvict?.(evicted.value, evicted.key);
      }
    },
    delete(key) {
      const entry = entries.get(key);
      if (entry) remove(entry);
      return entry !== undefined;
    },
    clear() {
      entries.clear();
      oldest = undefined;
      newest = undefined;
      weight = 0;
    },
    values() {
      const values: Value[] = [];
      for (let entry = oldest; entry; entry = entry.newer) values.push(entry.value);
      return values;
    },
  };
}

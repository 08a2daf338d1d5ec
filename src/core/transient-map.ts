/**
 * A hash map for many short-lived entries. The built-in Map reallocates its table every few
 * deletions, and until the old table is collected it keeps its entries alive, which moves
 * short-lived objects to the old generation. Here a deleted entry retains nothing.
 */
export interface TransientMap<Key extends string | number, Value> {
  readonly size: number;
  get(key: Key): Value | undefined;
  /** The key must not exist yet. */
  add(key: Key, value: Value): void;
  delete(key: Key): Value | undefined;
  values(): Value[];
}

interface Entry<Key, Value> {
  readonly key: Key;
  value: Value | undefined;
  next: Entry<Key, Value> | undefined;
}

/** `expected`: approximate number of concurrent entries; with many more it gets slower. */
export function createTransientMap<Key extends string | number, Value>(
  expected: number,
): TransientMap<Key, Value> {
  let buckets: (Entry<Key, Value> | undefined)[] | undefined;
  let size = 0;
  return {
    get size() {
      return size;
    },
    get(key) {
      let entry = buckets?.[bucketOf(key, expected)];
      while (entry && entry.key !== key) entry = entry.next;
      return entry?.value;
    },
    add(key, value) {
      // Created on first use; maps of idle connections usually stay empty.
      buckets ??= emptyBuckets<Entry<Key, Value>>(expected);
      const bucket = bucketOf(key, expected);
      buckets[bucket] = { key, value, next: buckets[bucket] };
      size += 1;
    },
    delete(key) {
      const bucket = bucketOf(key, expected);
      let before: Entry<Key, Value> | undefined;
      let entry = buckets?.[bucket];
      while (entry && entry.key !== key) [before, entry] = [entry, entry.next];
      if (!buckets || !entry) return undefined;
      if (before) before.next = entry.next;
      else buckets[bucket] = entry.next;
      const { value } = entry;
      entry.value = undefined;
      entry.next = undefined;
      size -= 1;
      return value;
    },
    values() {
      const found: Value[] = [];
      for (let entry of buckets ?? []) {
        for (; entry; entry = entry.next) if (entry.value !== undefined) found.push(entry.value);
      }
      return found;
    },
  };
}

function emptyBuckets<T>(count: number): (T | undefined)[] {
  const buckets: (T | undefined)[] = [];
  for (let bucket = 0; bucket < count; bucket++) buckets.push(undefined);
  return buckets;
}

/** Number of trailing characters to hash: counters differ at the end, digests everywhere. */
const TOLD_APART = 8;

function bucketOf(key: string | number, buckets: number): number {
  if (typeof key === 'number') return (key >>> 0) % buckets;
  let sum = key.length;
  for (let at = Math.max(0, key.length - TOLD_APART); at < key.length; at++) {
    sum = (Math.imul(sum, 31) + key.charCodeAt(at)) >>> 0;
  }
  return sum % buckets;
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBoundedMap, type BoundedMap } from './bounded-map.ts';

test('the entry used longest ago makes room, and a look by has is no use', () => {
  const map = createBoundedMap<string, number>({ maxEntries: 2 });
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  expect(map.has('b')).toBe(true);
  map.set('c', 3);
  expect([map.has('a'), map.has('b'), map.has('c'), map.size]).toEqual([true, false, true, 2]);
  expect(map.values()).toEqual([1, 3]);
});

test('a replaced entry is the newest, and counts once', () => {
  const map = createBoundedMap<string, string>({ maxWeight: 10, weigh: (text) => text.length });
  map.set('a', 'aaaa');
  map.set('b', 'bbbb');
  map.set('a', 'aa');
  expect([map.weight, map.values()]).toEqual([6, ['bbbb', 'aa']]);
});

test('an entry that is too heavy is not stored, and evicts only its predecessor', () => {
  const map = createBoundedMap<string, number>({ maxWeight: 10, weigh: (value) => value });
  map.set('a', 4);
  map.set('b', 5);
  map.set('b', 11);
  expect([map.weight, map.values()]).toEqual([4, [4]]);
});

test('onEvict is called for evicted entries only', () => {
  const evicted: string[] = [];
  const map = createBoundedMap<string, number>({
    maxEntries: 2,
    onEvict: (value, key) => evicted.push(`${key}=${value}`),
  });
  for (const key of ['a', 'b', 'b', 'c']) map.set(key, 1);
  map.delete('b');
  map.set('d', 1);
  map.clear();
  map.set('e', 1);
  expect([evicted, map.size, map.weight]).toEqual([['a=1'], 1, 0]);
});

type Act = 'get' | 'set' | 'delete' | 'has';
const MAX_ENTRIES = 4;
const MAX_WEIGHT = 12;

function done(map: BoundedMap<string, number>, act: Act, key: string, value: number): unknown {
  return act === 'set' ? map.set(key, value) : map[act](key);
}

/** The same with a plain Map in the order of use. */
function doneByHand(map: Map<string, number>, act: Act, key: string, value: number): unknown {
  const before = map.get(key);
  if (act === 'has') return before !== undefined;
  const wasThere = map.delete(key);
  if (act === 'delete') return wasThere;
  if (act === 'get') {
    if (before !== undefined) map.set(key, before);
    return before;
  }
  map.set(key, value);
  for (const first of map.keys())
    if (map.size > MAX_ENTRIES || weightOf(map) > MAX_WEIGHT) map.delete(first);
  return undefined;
}

function weightOf(map: Map<string, number>): number {
  return [...map.values()].reduce((sum, each) => sum + each, 0);
}

test('it behaves like a Map that is reordered by use, whatever the operations', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '__proto__');
  const step = fc.record({
    act: fc.constantFrom<Act[]>('get', 'set', 'delete', 'has'),
    key,
    value: fc.nat(7),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const map = createBoundedMap<string, number>({
        maxEntries: MAX_ENTRIES,
        maxWeight: MAX_WEIGHT,
        weigh: (value) => value,
      });
      const plain = new Map<string, number>();
      for (const { act, key: at, value } of steps) {
        expect(done(map, act, at, value)).toBe(doneByHand(plain, act, at, value));
        expect(map.values()).toEqual([...plain.values()]);
        expect([map.size, map.weight]).toEqual([plain.size, weightOf(plain)]);
      }
    }),
  );
});

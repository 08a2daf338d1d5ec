import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sizeWithin } from './size-within.ts';

test('it is about as long as the JSON, and never so short that something long passes for short', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const json = JSON.stringify(value).length;
      const size = sizeWithin(value, Infinity);
      // Escapes make it longer, by six at most; numbers have their own length.
      expect(size * 6).toBeGreaterThanOrEqual(json / 4);
      expect(size).toBeLessThanOrEqual(6 * json + 6);
    }),
  );
});

test('it looks no further than it needs to', () => {
  const round: Record<string, unknown> = { name: 'round' };
  round['self'] = round;
  expect(sizeWithin(round, 1000)).toBe(1000);
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(sizeWithin(deep, 50)).toBe(50);
  const trap = Array.from({ length: 10_000 }, () => ({
    get costly(): never {
      throw new Error('it looked');
    },
  }));
  expect(sizeWithin(trap, 100)).toBe(100);
});

test.each([
  [undefined, 6],
  [null, 6],
  [12, 6],
  ['', 2],
  ['four', 6],
  [[], 2],
  [{}, 2],
])('%j has %d', (value, size) => {
  expect(sizeWithin(value, 100)).toBe(size);
});

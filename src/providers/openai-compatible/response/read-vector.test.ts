import { expect, test } from 'vitest';
import { readVector } from './read-vector.ts';

test('a list of numbers is a vector', () => {
  expect(readVector([0.5, -1, 0])).toEqual(Float32Array.of(0.5, -1, 0));
});

test.each([
  [[1e300]],
  [[0.5, -1e39]],
  [[Number.NaN]],
  [[null]],
  [['1']],
  [[[1]]],
  [[]],
  ['1,2'],
  [undefined],
  [Array.from({ length: 65_537 }, () => 0)],
])('%.40j is none', (value) => {
  expect(readVector(value)).toBeUndefined();
});

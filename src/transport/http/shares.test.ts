import { expect, test } from 'vitest';
import { createShares } from './shares.ts';

test('the owner may have everything, anybody else half', () => {
  const shares = createShares(5);
  expect(shares.take('low', 3)).toBe(true);
  expect([shares.roomFor('low'), shares.take('low')]).toEqual(['share_full', false]);
  expect(shares.take('local', 2)).toBe(true);
  expect([shares.roomFor('local'), shares.roomFor('mid')]).toEqual(['all_taken', 'all_taken']);
  shares.give('low', 3);
  expect(shares.take('local', 3)).toBe(true);
  expect([shares.total, shares.of('local'), shares.of('low')]).toEqual([5, 5, 0]);
});

test('what does not fit is not taken in part', () => {
  const shares = createShares(10);
  expect([shares.take('local', 11), shares.take('low', 6), shares.total]).toEqual([
    false,
    false,
    0,
  ]);
});

test('of one there is one for anybody', () => {
  const shares = createShares(1);
  expect([shares.take('low'), shares.take('local')]).toEqual([true, false]);
});

test('names of the language are names like any other', () => {
  const shares = createShares(4);
  expect([shares.of('__proto__'), shares.take('__proto__'), shares.of('__proto__')]).toEqual([
    0,
    true,
    1,
  ]);
});

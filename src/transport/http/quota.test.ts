import { expect, test } from 'vitest';
import { createQuota } from './quota.ts';

test('the owner may use everything, others half', () => {
  const quota = createQuota(5);
  expect(quota.acquire('low', 3)).toBe(true);
  expect([quota.check('low'), quota.acquire('low')]).toEqual(['share_full', false]);
  expect(quota.acquire('local', 2)).toBe(true);
  expect([quota.check('local'), quota.check('mid')]).toEqual(['all_taken', 'all_taken']);
  quota.release('low', 3);
  expect(quota.acquire('local', 3)).toBe(true);
  expect([quota.total, quota.usedBy('local'), quota.usedBy('low')]).toEqual([5, 5, 0]);
});

test('an amount that does not fit is not taken in part', () => {
  const quota = createQuota(10);
  expect([quota.acquire('local', 11), quota.acquire('low', 6), quota.total]).toEqual([
    false,
    false,
    0,
  ]);
});

test('a quota of one is available to every principal', () => {
  const quota = createQuota(1);
  expect([quota.acquire('low'), quota.acquire('local')]).toEqual([true, false]);
});

test('names of built-in properties are ordinary names', () => {
  const quota = createQuota(4);
  expect([
    quota.usedBy('__proto__'),
    quota.acquire('__proto__'),
    quota.usedBy('__proto__'),
  ]).toEqual([0, true, 1]);
});

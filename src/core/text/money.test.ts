import { expect, test } from 'vitest';
import { toMicroUsd, toUsd } from './money.ts';

test.each([
  [0, 0],
  [0.000_000_4, 0],
  [0.000_000_5, 1],
  [0.1 + 0.2, 300_000],
  [1.005, 1_005_000],
  [-2.5, -2_500_000],
])('%d dollars are %d micro-dollars', (usd, microUsd) => {
  expect(toMicroUsd(usd)).toBe(microUsd);
});

test('a large sum of small amounts is exact, and so is its way out and back', () => {
  let sum = 0;
  for (let call = 0; call < 1_000_000; call++) sum += toMicroUsd(0.1);
  expect(toUsd(sum)).toBe(100_000);
  const billion = toMicroUsd(1_000_000_000.000_001);
  expect(Number.isSafeInteger(billion)).toBe(true);
  expect(toMicroUsd(toUsd(billion))).toBe(billion);
});

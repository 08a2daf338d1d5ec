import { expect, test } from 'vitest';
import { dollars } from './dollars.ts';

test.each([
  [0, '$0.00'],
  [1, '$0.000001'],
  [7, '$0.000007'],
  [99, '$0.000099'],
  [100, '$0.0001'],
  [12_345, '$0.0123'],
  [500_000, '$0.50'],
  [1_000_000, '$1.00'],
  [2_500_000, '$2.50'],
  [1_234_567_890, '$1234.5679'],
])('%i micro-dollars are %s', (microUsd, words) => {
  expect(dollars(microUsd)).toBe(words);
});

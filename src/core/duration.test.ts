import { expect, test } from 'vitest';
import { duration } from './duration.ts';

test.each([
  [-5, '0 seconds'],
  [1.9, '1 second'],
  [59, '59 seconds'],
  [60, '1 minute'],
  [7199, '1 hour'],
  [172_800, '2 days'],
])('%d seconds are %j', (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});

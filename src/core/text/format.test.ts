import { describe, expect, test } from 'vitest';
import { formatQuantity, formatDuration, formatUsd } from './format.ts';

describe('duration', () => {
  test.each([
    [-5, '0 seconds'],
    [1.9, '1 second'],
    [59, '59 seconds'],
    [60, '1 minute'],
    [7199, '1 hour'],
    [172_800, '2 days'],
  ])('%d seconds are %j', (seconds, words) => {
    expect(formatDuration(seconds)).toBe(words);
  });
});

test.each([
  [0, '0 files'],
  [1, '1 file'],
  [1200, '1,200 files'],
])('a count of %d is %j', (count, words) => {
  expect(formatQuantity(count, 'file')).toBe(words);
});

describe('dollars', () => {
  test.each([
    [0, '$0.00'],
    [1_002_500_000, '$1,002.50'],
    [-1_234_567_000_000, '$-1,234,567.00'],
    [1, '$0.000001'],
    [7, '$0.000007'],
    [99, '$0.000099'],
    [100, '$0.0001'],
    [12_345, '$0.0123'],
    [500_000, '$0.50'],
    [1_000_000, '$1.00'],
    [2_500_000, '$2.50'],
    [1_234_567_890, '$1,234.5679'],
  ])('%i micro-dollars are %s', (microUsd, words) => {
    expect(formatUsd(microUsd)).toBe(words);
  });
});

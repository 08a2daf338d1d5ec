import { expect, test } from 'vitest';
import { readWishes } from './read-wishes.ts';

test('header fields of ours are wishes', () => {
  expect(readWishes({ accept: '*/*' })).toEqual({});
  expect(
    readWishes({
      'x-exai-continue': 'false',
      'x-exai-fallback': 'none',
      'x-exai-prefer': 'cost',
      'x-exai-max-cost-usd': '0.01',
    }),
  ).toEqual({ whenBroken: 'fail', fallback: 'none', prefer: 'cost', maxCostMicroUsd: 10_000 });
});

test.each([
  ['x-exai-continue', 'maybe'],
  ['x-exai-fallback', ''],
  ['x-exai-max-cost-usd', '0x10'],
  ['x-exai-max-cost-usd', '1e300'],
  ['x-exai-max-cost-usd', '-1'],
])('%s: %s is refused by its name', (name, value) => {
  expect(() => readWishes({ [name]: value })).toThrow(expect.objectContaining({ field: name }));
});

test('a field that is misspelt is refused, with the one that was meant', () => {
  expect(() => readWishes({ 'x-exai-contineu': 'false' })).toThrow(
    expect.objectContaining({ field: 'x-exai-contineu', fix: 'Did you mean x-exai-continue?' }),
  );
});

import { describe, expect, test } from 'vitest';
import { didYouMean, nearest, shellQuote } from './text.ts';

describe('nearest', () => {
  test.each([
    ['statsu', 'status'],
    ['STATUS', 'status'],
    ['kimi-api-key', 'KIMI_API_KEY'],
    ['hosst', 'host'],
    ['x', undefined],
    ['completely different', undefined],
    ['', undefined],
  ])('%s is taken for %s', (name, expected) => {
    expect(nearest(name, ['status', 'stop', 'host', 'port', 'KIMI_API_KEY'])).toBe(expected);
  });

  test('a suggestion is the tail of a sentence, or nothing', () => {
    expect(didYouMean('prot', ['port'])).toBe(', did you mean "port"?');
    expect(didYouMean('zebra', ['port'])).toBe('');
  });

  test('a very long name costs no more than a short one', () => {
    expect(nearest('a'.repeat(1_000_000), ['a'.repeat(64)])).toBeDefined();
  });
});

describe('shell quote', () => {
  test.each([
    ['laptop', 'laptop'],
    ['/home/me/.exai', '/home/me/.exai'],
    ['', "''"],
    ['a b', "'a b'"],
    ['$(rm -rf ~)', "'$(rm -rf ~)'"],
    ["it's", String.raw`'it'\''s'`],
  ])('%j is written %s', (word, quoted) => {
    expect(shellQuote(word)).toBe(quoted);
  });
});

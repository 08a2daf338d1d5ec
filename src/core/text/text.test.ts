import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { didYouMean, nearest, nearestNames, shellQuote } from './text.ts';

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

describe('near names', () => {
  /** The definition: the least number of letters that are added, removed, replaced or swapped with the next. */
  function plainDistance(a: string, b: string): number {
    const rows: number[][] = [];
    for (let i = 0; i <= a.length; i += 1) {
      rows.push([]);
      for (let j = 0; j <= b.length; j += 1) {
        const at = (up: number, left: number) => rows[i - up]?.[j - left] ?? Infinity;
        const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
        const least = Math.min(
          at(1, 0) + 1,
          at(0, 1) + 1,
          at(1, 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwap ? at(2, 2) + 1 : Infinity,
        );
        rows[i]?.push(i + j === 0 ? 0 : least);
      }
    }
    return rows[a.length]?.[b.length] ?? Infinity;
  }
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 14 });

  test('those within a third of the letters are found, and no others', () => {
    fc.assert(
      fc.property(word, word, (wanted, name) => {
        const limit = Math.max(1, Math.floor(wanted.length / 3));
        const isPart = (part: string, whole: string) => part.length >= 4 && whole.includes(part);
        const isNear =
          plainDistance(wanted, name) <= limit || isPart(wanted, name) || isPart(name, wanted);
        expect(nearestNames(wanted, [name], 1)).toEqual(isNear ? [name] : []);
      }),
      { numRuns: 2000 },
    );
  });

  test('the nearest comes first', () => {
    fc.assert(
      fc.property(word, word, word, (wanted, one, other) => {
        const [first, second] = nearestNames(wanted, [one, other], 2);
        if (first === undefined || second === undefined) return;
        const limit = Math.max(1, Math.floor(wanted.length / 3));
        const far = (name: string) => Math.min(plainDistance(wanted, name), limit + 1);
        expect(far(first)).toBeLessThanOrEqual(far(second));
      }),
    );
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

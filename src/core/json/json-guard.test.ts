import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import {
  createJsonScan,
  isTooComplexJson,
  parseUntrustedJson,
  type JsonLimits,
} from './json-guard.ts';

describe('json guard', () => {
  const LIMITS: JsonLimits = {
    maxDepth: 64,
    maxCost: 1000,
    costs: { member: 1, string: 1, name: 8, container: 1 },
  };

  const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  test.each([
    ['one level more than allowed', nest(65)],
    ['levels of objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
    ['levels that never end', '['.repeat(1_000_000)],
    ['numbers', `[${'1,'.repeat(1001)}1]`],
    ['empty objects', `[${'{},'.repeat(500)}{}]`],
    ['strings', `[${'"",'.repeat(500)}""]`],
    ['names', `{${'"a":1,'.repeat(100)}"a":1}`],
  ])('too many %s are too much', (_, text) => {
    expect(isTooComplexJson(text, LIMITS)).toBe(true);
  });

  test.each([
    ['as many levels as allowed', nest(64)],
    ['brackets and commas within strings', JSON.stringify(['[{,:'.repeat(5000)])],
    ['escaped quotes', JSON.stringify(['"[\\"'.repeat(5000)])],
    ['a string of backslashes', JSON.stringify(['\\'.repeat(5001)])],
    ['nests beside each other', `[${Array.from({ length: 100 }, () => '[[[]]]').join(',')}]`],
  ])('%s are not', (_, text) => {
    expect(isTooComplexJson(text, LIMITS)).toBe(false);
  });

  test('a short text is judged as a scan judges it', () => {
    const signs = fc.constantFrom('{', '[', '}', ']', '"', ',', ':', '\\', 'a', '{[');
    const limits = { ...LIMITS, maxDepth: 6, maxCost: 100 };
    fc.assert(
      // Shorter texts are not scanned: no valid JSON among them is deeper.
      fc.property(fc.array(signs, { minLength: 13, maxLength: 60 }), (pieces) => {
        const text = pieces.join('');
        const scanned = createJsonScan(limits).push(text) === 'too_much';
        return isTooComplexJson(text, limits) === scanned;
      }),
    );
    expect(isTooComplexJson('[[[[[[[1]]]]]]]', limits)).toBe(true);
  });

  describe('a scan', () => {
    const value = fc.jsonValue({ maxDepth: 6 });
    test('counts the same however the text is cut into pieces', () => {
      fc.assert(
        fc.property(value, fc.array(fc.nat(40)), (json, cuts) => {
          const text = JSON.stringify(json, null, 1);
          const whole = createJsonScan(LIMITS);
          whole.push(text);
          const pieces = createJsonScan(LIMITS);
          let at = 0;
          for (const length of cuts) {
            pieces.push(text.slice(at, at + length));
            at += length;
          }
          pieces.push(text.slice(at));
          expect(pieces.cost()).toBe(whole.cost());
        }),
      );
    });

    test('counts what the value has', () => {
      const costs = { member: 0, string: 0, name: 1, container: 0 };
      const names = (json: unknown): number =>
        typeof json === 'object' && json !== null
          ? (Array.isArray(json) ? 0 : Object.keys(json).length) +
            Object.values(json).reduce<number>((sum, each) => sum + names(each), 0)
          : 0;
      fc.assert(
        fc.property(value, (json) => {
          const scan = createJsonScan({ maxDepth: 64, maxCost: 1e9, costs });
          scan.push(JSON.stringify(json));
          expect(scan.cost()).toBe(names(json));
        }),
      );
    });

    test('stays beyond its limits once it is', () => {
      const scan = createJsonScan(LIMITS);
      expect([scan.push(nest(65)), scan.push('1')]).toEqual(['too_much', 'too_much']);
    });
  });
});

describe('parse text', () => {
  const PAD = JSON.stringify('[{'.repeat(50_000));

  test.each([
    ['of brackets', `${'['.repeat(600)}${PAD}${']'.repeat(600)}`],
    ['of braces', `${'{"a":'.repeat(600)}${PAD}${'}'.repeat(600)}`],
    ['that never ends', '['.repeat(1_000_000)],
    ['of a million numbers', `[${Array.from({ length: 1_000_000 }, () => '0').join(',')}]`],
  ])('a large text %s is refused before it is built', (_what, text) => {
    expect(() => parseUntrustedJson(text)).toThrow('too deeply, or has too many');
  });

  test.each([
    ['brackets within strings', `[${PAD}]`],
    ['escaped quotes', `[${JSON.stringify('"\\"['.repeat(30_000))}]`],
    ['many small nests', `[${Array.from({ length: 40_000 }, () => '[[]]').join(',')}]`],
  ])('%s are no nesting', (_what, text) => {
    expect(parseUntrustedJson(text)).toEqual(JSON.parse(text));
  });

  test('a string without an end is no JSON', () => {
    expect(() => parseUntrustedJson(`["${'x'.repeat(70_000)}`)).toThrow(SyntaxError);
  });

  verifies(
    'stalls:limits',
    'refuses an object with very many names, and accepts as many in small objects',
    () => {
      const wide = (count: number) =>
        JSON.stringify(
          Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, at])),
        );
      expect(() => parseUntrustedJson(wide(30_000))).toThrow(SyntaxError);
      expect(Object.keys(parseUntrustedJson(wide(12_000)) as object)).toHaveLength(12_000);
      const list = JSON.stringify(
        Array.from({ length: 60_000 }, () => ({ role: 'u', content: '' })),
      );
      expect(parseUntrustedJson(list)).toHaveLength(60_000);
    },
  );
});

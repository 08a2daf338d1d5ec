import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headOf, sizeWithin } from './result-paging.ts';

describe('headOf', () => {
  const byLength = (text: string) => text.length;

  test('a text that fits is its own head', () => {
    expect(headOf('one\ntwo', 7, byLength)).toBe('one\ntwo');
    expect(headOf('', 0, byLength)).toBe('');
  });

  test('it ends with a line where one ends near, and within one where none does', () => {
    const text = `${'x'.repeat(500)}\n${'y'.repeat(1000)}`;
    expect(headOf(text, 1200, byLength)).toBe(`${'x'.repeat(500)}\n`);
    const far = `x\n${'y'.repeat(10_000)}`;
    const head = headOf(far, 5000, byLength);
    expect(head.length).toBeGreaterThan(4700);
    expect(far.startsWith(head)).toBe(true);
  });

  test('whatever the text, its head is a beginning of it, fits, and cuts no character', () => {
    const unit = fc.oneof(fc.constantFrom('\n', '😀', '一', '\ud83d', '\ude00', 'a'), fc.string());
    const texts = fc.array(unit, { maxLength: 3000 }).map((units) => units.join(''));
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 0, max: 3000 }),
        fc.constantFrom(1, 2),
        (text, max, per) => {
          const count = (part: string) => part.length * per;
          const head = headOf(text, max, count);
          expect(text.startsWith(head)).toBe(true);
          expect(count(head)).toBeLessThanOrEqual(max);
          const isCut =
            /[\ud800-\udbff]$/.test(head) && /^[\udc00-\udfff]/.test(text.slice(head.length));
          expect(isCut).toBe(false);
          const isWhole = count(text) <= max && !/[\ud800-\udbff]$/.test(text);
          expect(head).toBe(isWhole ? text : head);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('sizeWithin', () => {
  test('it is about as long as the JSON, and never so short that something long passes for short', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const json = JSON.stringify(value).length;
        const size = sizeWithin(value, Infinity);
        // Escapes make it longer, by six at most; numbers have their own length.
        expect(size * 6).toBeGreaterThanOrEqual(json / 4);
        expect(size).toBeLessThanOrEqual(6 * json + 6);
      }),
    );
  });

  test('it looks no further than it needs to', () => {
    const round: Record<string, unknown> = { name: 'round' };
    round['self'] = round;
    expect(sizeWithin(round, 1000)).toBe(1000);
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(sizeWithin(deep, 50)).toBe(50);
    const trap = Array.from({ length: 10_000 }, () => ({
      get costly(): never {
        throw new Error('it looked');
      },
    }));
    expect(sizeWithin(trap, 100)).toBe(100);
  });

  test.each([
    [undefined, 6],
    [null, 6],
    [12, 6],
    ['', 2],
    ['four', 6],
    [[], 2],
    [{}, 2],
  ])('%j has %d', (value, size) => {
    expect(sizeWithin(value, 100)).toBe(size);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { liftStrings, restoreStrings, type LiftedJson } from './lift-strings.ts';
import { LARGE_BODY_BYTES, parseLargeBody } from './parse-large-body.ts';

const MARK = 'a-mark-';

function finish<T>(work: Generator<undefined, T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

function lift(json: string | Buffer, minBytes: number, sliceBytes: number): LiftedJson {
  return finish(liftStrings(Buffer.from(json as string), { minBytes, mark: MARK, sliceBytes }));
}

function parse(json: string, minBytes: number, sliceBytes: number): unknown {
  const { text, strings } = lift(json, minBytes, sliceBytes);
  return finish(restoreStrings(JSON.parse(text), strings, MARK));
}

/** Any JSON text, with escapes, spaces and long strings anywhere. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom('\\', '"', '\\\\', '\n', '\ud83d', '\ude00', '😀', 'é', '\u0000', '/'),
      fc.string({ maxLength: 20 }),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
    { maxLength: 20 },
  )
  .map((pieces) => pieces.join(''));
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    anyText,
    fc.double({ noNaN: true }),
    fc.constantFrom(null, true, false, 0, ''),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(anyText, fc.constantFrom('__proto__', 'constructor')), tie('value'), {
      maxKeys: 5,
    }),
  ),
})).value;
/** Further spellings of the same value: spaces, and escapes for every character. */
const anySpelling = fc
  .tuple(anyValue, fc.constantFrom(0, 2), fc.boolean())
  .map(([value, indent, isEscaped]) => {
    const json = JSON.stringify(value, undefined, indent);
    return isEscaped
      ? json.replaceAll(
          /[\u0080-\uffff]/g,
          (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
      : json;
  });

describe('lifting strings', () => {
  verifies('gateway-files:lifted', 'gives the value that JSON.parse gives', () => {
    fc.assert(
      fc.property(anySpelling, fc.nat(30), fc.integer({ min: 7, max: 40 }), (json, min, slice) => {
        // Lone surrogates do not survive UTF-8; the bytes are what counts.
        const text = Buffer.from(json).toString();
        expect(parse(text, min, slice)).toEqual(JSON.parse(text));
      }),
      { numRuns: 2000 },
    );
  });

  verifies('gateway-files:lifted', 'accepts and refuses what JSON.parse does', () => {
    const mutated = fc
      .tuple(
        anySpelling,
        fc.nat(),
        fc.constantFrom('"', '\\', '\n', ',', '{', ']', '\u0001', 'u', ''),
      )
      .map(([json, at, sign]) => {
        const cut = at % (json.length + 1);
        return Buffer.from(json.slice(0, cut) + sign + json.slice(cut + 1)).toString();
      });
    fc.assert(
      fc.property(mutated, fc.nat(30), (json, min) => {
        const outcome = (work: () => unknown) => {
          try {
            return { value: work() };
          } catch (thrown) {
            return { isSyntax: thrown instanceof SyntaxError };
          }
        };
        expect(outcome(() => parse(json, min, 16))).toEqual(outcome(() => JSON.parse(json)));
      }),
      { numRuns: 2000 },
    );
  });

  test('keeps names, and lifts values of at least the given size', () => {
    const json = JSON.stringify({ [`${'n'.repeat(50)}`]: 'v'.repeat(50), short: 'v'.repeat(9) });
    const { text, strings } = lift(json, 10, 16);
    expect(text).toBe(`{"${'n'.repeat(50)}":"${MARK}0","short":"vvvvvvvvv"}`);
    expect(strings).toEqual(['v'.repeat(50)]);
  });

  test('yields between slices, and between many small strings', () => {
    const steps = (json: string) => [
      ...liftStrings(Buffer.from(json), { minBytes: 100, mark: MARK }),
    ];
    expect(steps(JSON.stringify('x'.repeat(10_000_000))).length).toBeGreaterThanOrEqual(9);
    expect(steps(JSON.stringify(Array(200_000).fill(''))).length).toBeGreaterThanOrEqual(4);
    expect(steps(JSON.stringify('"'.repeat(200_000))).length).toBeGreaterThanOrEqual(4);
    const restoring = [...restoreStrings(Array(200_000).fill(''), [], MARK)];
    expect(restoring.length).toBeGreaterThanOrEqual(10);
  });
});

verifies('gateway-files:lifted', 'a large body is parsed as JSON.parse does', async () => {
  const value = { a: 'x'.repeat(LARGE_BODY_BYTES), b: ['é😀\n"\\'.repeat(50_000), 1, null], c: {} };
  expect(await parseLargeBody(Buffer.from(`\ufeff${JSON.stringify(value)}`), MARK)).toEqual(value);
  const broken = Buffer.from(JSON.stringify(value).replace('xx', 'x\n'));
  await expect(parseLargeBody(broken, MARK)).rejects.toThrow(SyntaxError);
});

import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { countExactly } from '../count-exactly.ts';
import { nearLimit } from '#models/estimate-tokens.ts';
import { textPieces } from '../text-pieces.ts';
import { TEXT_SAMPLES } from '../../src/models/text-samples.fixture.ts';

const noPause = () => Promise.resolve();
const whole = (text: string) => countTokens(text, { disallowedSpecial: new Set() });

describe('an exact count', () => {
  for (const [name, text] of Object.entries(TEXT_SAMPLES)) {
    verifies('models:tokens', `of ${name} is that of the tokenizer`, async () => {
      const long = `${text}\n\n`.repeat(20);
      const counted = await countExactly(long, noPause);
      expect(Math.abs(counted - whole(long)) / whole(long)).toBeLessThan(0.001);
    });
  }

  test('takes the marks of a vendor for the text they are', async () => {
    expect(await countExactly('<|endoftext|><|im_start|>', noPause)).toBeGreaterThan(2);
  });

  test('of nothing is nothing', async () => {
    expect(await countExactly('', noPause)).toBe(0);
  });

  test('of any garbage is a count', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 400 }), async (text) => {
        const counted = await countExactly(text, noPause);
        expect(counted).toBeGreaterThanOrEqual(text === '' ? 0 : 1);
        // A cut adds at most a few tokens to a stretch.
        expect(counted - whole(text)).toBeGreaterThanOrEqual(-1);
      }),
      { numRuns: 50 },
    );
  });

  verifies('models:tokens', 'lets others run at least every 64 KB', async () => {
    let pauses = 0;
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20_000);
    await countExactly(text, () => {
      pauses += 1;
      return Promise.resolve();
    });
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(text.length / 80_000));
  });

  verifies(
    'models:tokens',
    'takes linear time where the tokenizer alone does not',
    async () => {
      const units = 40_000;
      const hostile = [
        'a',
        '的一是不',
        ' ',
        '-─',
        '\n/',
        ' \u3000',
        '😀',
        '\u0301',
        '鬱𠮷',
        '\ud800',
      ];
      for (const unit of hostile) {
        const text = `.${unit.repeat(units / unit.length)}`;
        expect(await countExactly(text, noPause)).toBeGreaterThan(0);
      }
    },
    20_000,
  );
});

describe('pieces of a text', () => {
  test('are the text, cut between characters, with no endless stretch', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 2_000 }),
          fc.string({ unit: fc.constantFrom('a', '的', '-', ' ', '😀'), maxLength: 2_000 }),
        ),
        fc.integer({ min: 1, max: 500 }),
        (text, pieceUnits) => {
          const pieces = [...textPieces(text, pieceUnits)];
          expect(pieces.join('')).toBe(text);
          for (const piece of pieces) {
            expect(piece.length).toBeGreaterThan(0);
            expect(piece.length).toBeLessThanOrEqual(pieceUnits + 2 * 129);
          }
          const isCut = (at: number) =>
            /[\ud800-\udbff]$/.test(pieces[at] ?? '') &&
            /^[\udc00-\udfff]/.test(pieces[at + 1] ?? '');
          expect(pieces.some((_, at) => isCut(at))).toBe(false);
        },
      ),
    );
  });
});

test('an estimate calls for an exact count within 15 % of the limit, and not beyond', () => {
  expect(nearLimit(100_000, 100_000)).toBe(true);
  expect(nearLimit(85_000, 100_000)).toBe(true);
  expect(nearLimit(115_000, 100_000)).toBe(true);
  expect(nearLimit(84_999, 100_000)).toBe(false);
  expect(nearLimit(115_001, 100_000)).toBe(false);
  expect(nearLimit(0, 100)).toBe(false);
});

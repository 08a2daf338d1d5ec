import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countExactly } from '../../test/count-exactly.ts';
import { verifies } from '../../test/verifies.ts';
import { ESTIMATE_ERROR, estimateSampled, estimateTokens } from './estimate-tokens.ts';
import { TEXT_SAMPLES } from './text-samples.fixture.ts';

describe('estimate tokens', () => {
  const root = new URL('../../', import.meta.url);
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
  const sources = (folder: string) =>
    readdirSync(new URL(folder, root))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(folder + name))
      .join('\n');
  const noPause = () => Promise.resolve();

  /** Bytes that look random and are the same every time. */
  function bytes(count: number): Buffer {
    let state = 1;
    return Buffer.from(
      Array.from({ length: count }, () => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return state >>> 24;
      }),
    );
  }

  const WRITTEN: Record<string, string> = {
    ...TEXT_SAMPLES,
    documentation: read('docs/ARCHITECTURE.md'),
    typescript: sources('src/core/'),
    tests: sources('test/'),
    javascript: read('scripts/build.mjs'),
    json: read('docs/config.schema.json'),
    'dense json': JSON.stringify(JSON.parse(read('docs/config.schema.json'))),
  };

  describe('an estimate', () => {
    for (const [name, text] of Object.entries(WRITTEN)) {
      verifies('models:tokens', `is within 15 % of the count for ${name}`, async () => {
        const exact = await countExactly(text, noPause);
        expect(Math.abs(estimateTokens(text) / exact - 1)).toBeLessThanOrEqual(ESTIMATE_ERROR);
      });
    }

    const encoded = {
      base64: bytes(30_000).toString('base64'),
      hex: bytes(20_000).toString('hex'),
      'one letter': 'a'.repeat(20_000),
      blanks: ' '.repeat(20_000),
      'line ends': '\n'.repeat(20_000),
      dashes: '-'.repeat(20_000),
      emoji: '😀'.repeat(5_000),
    };
    for (const [name, text] of Object.entries(encoded)) {
      test(`is not far below the count for ${name}`, async () => {
        const exact = await countExactly(text, noPause);
        expect(estimateTokens(text) / exact).toBeGreaterThan(0.9);
      });
    }

    test('of nothing is nothing, and of anything else at least one', () => {
      expect(estimateTokens('')).toBe(0);
      fc.assert(
        fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
          const tokens = estimateTokens(text);
          expect(Number.isSafeInteger(tokens)).toBe(true);
          expect(tokens).toBeGreaterThanOrEqual(1);
          // Three bytes of UTF-8 a unit at most, and never more tokens than bytes, rounded up for
          // every piece.
          expect(tokens).toBeLessThanOrEqual(3 * text.length);
        }),
      );
    });

    test('of two texts together is close to the sum of both', () => {
      const text = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.string({ maxLength: 60 }),
        fc.constantFrom(...Object.values(TEXT_SAMPLES)),
      );
      fc.assert(
        fc.property(text, text, (a, b) => {
          const apart = estimateTokens(a) + estimateTokens(b);
          expect(Math.abs(estimateTokens(a + b) - apart)).toBeLessThanOrEqual(10);
        }),
      );
    });

    test('grows in step with a text that is repeated, whatever it is', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }), (unit) => {
          const some = estimateTokens(unit.repeat(1_000));
          const more = estimateTokens(unit.repeat(2_000));
          expect(more / some).toBeGreaterThan(1.9);
          expect(more / some).toBeLessThan(2.1);
        }),
        { numRuns: 50 },
      );
    });

    verifies('models:tokens', 'takes linear time on hostile texts', () => {
      const MEGABYTE = 1_048_576;
      const hostile = [
        'a',
        'A',
        ' ',
        '\n',
        '-',
        '\u{20000}',
        "a'",
        "x'abc",
        'aB1',
        '.\n',
        ' \t',
        '的',
        '\u0301',
      ];
      for (const unit of hostile) {
        const text = unit.repeat(Math.ceil(MEGABYTE / unit.length));
        expect(estimateTokens(text)).toBeLessThanOrEqual(2 * text.length);
      }
    });
  });
});

describe('estimate sampled', () => {
  const PROSE = 'The keeper lit the lamp, counted 9 ships, and wrote 北京 in the book.\n';

  test('a text of usual length is counted as a whole', () => {
    const text = PROSE.repeat(3000);
    expect(estimateSampled(text)).toBe(estimateTokens(text));
  });

  test.each([
    ['of one kind', PROSE.repeat(20_000)],
    ['of two kinds', PROSE.repeat(10_000) + '漢字'.repeat(350_000)],
  ])('a long text %s is estimated within a tenth', (_, text) => {
    const exact = estimateTokens(text);
    expect(Math.abs(estimateSampled(text) - exact)).toBeLessThan(exact / 10);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { cutAt, splitHeadTail, headWithin } from './cut-text.ts';

function pieces(text: string, maxTokens: number): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length;) {
    const cut = cutAt(text, at, text.length, maxTokens);
    found.push(text.slice(at, cut));
    at = cut;
  }
  return found;
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  fc
    .array(fc.constantFrom('word ', 'End. ', '天地。', '😀', '```', '\u00e9', '123', '  ', '\n'), {
      maxLength: 2_000,
    })
    .map((parts) => parts.join('')),
);

describe('cutting a text', () => {
  test('leaves pieces that fit, are the text, and never hold half a character', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 8, max: 400 }), (text, maxTokens) => {
        const cut = pieces(text.toWellFormed(), maxTokens);
        expect(cut.join('')).toBe(text.toWellFormed());
        for (const piece of cut) {
          expect(piece.isWellFormed()).toBe(true);
          expect(estimateTokens(piece)).toBeLessThanOrEqual(maxTokens);
        }
      }),
    );
  });

  test('falls after a sentence, else after a word', () => {
    const prose = 'It was late. The bus had gone. Nobody waited any more. '.repeat(40);
    for (const piece of pieces(prose, 60).slice(0, -1)) expect(piece).toMatch(/\. $/);
    for (const piece of pieces('no end in sight here '.repeat(100), 60))
      expect(piece).toMatch(/ $/);
    for (const piece of pieces('天地玄黄，宇宙洪荒。'.repeat(100), 60).slice(0, -1)) {
      expect(piece).toMatch(/。$/);
    }
  });

  test('advances by at least one character, however little room there is', () => {
    expect(pieces('😀😀😀', 0)).toEqual(['😀', '😀', '😀']);
    expect(pieces('abc', 0)).toEqual(['a', 'b', 'c']);
  });

  test('gives the beginning within a limit, with a mark, or nothing', () => {
    expect(headWithin('short', 10)).toBe('short');
    expect(headWithin('word '.repeat(500), 2)).toBe('');
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 200 }), (text, maxTokens) => {
        const head = headWithin(text, maxTokens);
        expect(estimateTokens(head)).toBeLessThanOrEqual(maxTokens);
        expect(head === text || head === '' || head.endsWith(' […]')).toBe(true);
      }),
    );
  });

  test('finds both ends of a text, or says that there is no middle', () => {
    expect(splitHeadTail('x'.repeat(100), 60)).toEqual({ headEnd: 100, tailStart: 100 });
    const { headEnd, tailStart } = splitHeadTail('😀'.repeat(1_000), 101);
    expect([headEnd, tailStart]).toEqual([100, 1_898]);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPrefixHold, isRecognisable } from './prefix-hold.ts';
import { createContinuationStitcher } from './stitcher.ts';

describe('createPrefixHold', () => {
  /** What is let out at each of these pieces, and at the end. */
  function emitted(...pieces: readonly string[]): readonly string[] {
    const hold = createPrefixHold();
    const out = pieces.map((piece) => hold.add(piece));
    return [...out, hold.end()];
  }

  test.each([
    ['a word', ['Sure', ','], ['Sure', ',', '']],
    ['one letter after the other', ['I', ' a', 'm', ' K'], ['', '', 'I am', ' K', '']],
    ['two characters of Chinese', ['熔', '断', '器'], ['', '熔断', '器', '']],
    ['a sign before a word', ['## ', 'Title'], ['', '## Title', '']],
    ['blanks', ['\n\n', ' ', 'Yes', '.'], ['', '', '', '\n\n Yes.', '']],
    ['a list of numbers', ['1', ',', ' ', '2', ','], ['', '', '', '1, 2', ',', '']],
    ['a list of zeros', ['0, 0', ', 0', ', 0, 0', ', 1'], ['', '', '', '0, 0, 0, 0, 0, 1', '']],
    ['one sign over and over', ['----', '----', '\n', 'End'], ['', '', '', '--------\nEnd', '']],
    ['what is over before that', ['4', '2'], ['', '', '42']],
    ['nothing', [], ['']],
  ])('of %s nothing is emitted before it could be recognised', (_, pieces, expected) => {
    expect(emitted(...pieces)).toEqual(expected);
  });

  test('a run of blanks is not held forever', () => {
    const hold = createPrefixHold();
    let heldChars = 0;
    for (let turn = 0; turn < 1000; turn++) {
      heldChars = hold.add('  ') === '' ? heldChars + 2 : 0;
      expect(heldChars).toBeLessThan(400);
    }
  });

  test('half a surrogate pair is not emitted', () => {
    const [first = '', second = ''] = '🎉'.split('');
    expect(emitted(`Done ${first}`, second)).toEqual(['', 'Done 🎉', '']);
  });

  test('any text is emitted completely, and a restart is recognised by what was emitted', () => {
    const piece = fc.constantFrom(
      'a',
      'ab',
      ' ',
      '\n',
      '0',
      ', ',
      '-',
      '🎉',
      '\ud83c',
      '熔',
      'the',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30, size: 'max' }), fc.string(), (pieces, rest) => {
        const out = emitted(...pieces);
        expect(out.join('')).toBe(pieces.join(''));
        const first = out.slice(0, -1).find((text) => text !== '') ?? '';
        if (first === '') return;
        expect(isRecognisable(first)).toBe(true);
        const stitcher = createContinuationStitcher(first, { heldBack: '' });
        const again = `.${rest}`;
        expect(stitcher.add(first + again) + stitcher.end()).toBe(again);
      }),
      { numRuns: 300 },
    );
  });
});

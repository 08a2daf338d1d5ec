import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOpening } from './opening.ts';
import { createSeam, isRecognisable } from './overlap.ts';

/** What is let out at each of these pieces, and at the end. */
function told(...pieces: readonly string[]): readonly string[] {
  const opening = createOpening();
  const out = pieces.map((piece) => opening.add(piece));
  return [...out, opening.end()];
}

test.each([
  ['a word', ['Sure', ','], ['Sure', ',', '']],
  ['one letter after the other', ['I', ' a', 'm', ' K'], ['', '', 'I am', ' K', '']],
  ['two characters of Chinese', ['熔', '断', '器'], ['', '熔断', '器', '']],
  ['a sign before a word', ['## ', 'Title'], ['', '## Title', '']],
  ['blanks', ['\n\n', ' ', 'Yes', '.'], ['', '', '', '\n\n Yes.', '']],
  ['a list of numbers', ['1', ',', ' ', '2', ','], ['', '', '', '1, 2', ',', '']],
  ['a list of zeros', ['0, 0', ', 0', ', 0, 0', ', 0'], ['', '', '0, 0, 0, 0, 0', ', 0', '']],
  ['one sign over and over', ['----', '----', '\n', 'End'], ['', '', '', '--------\nEnd', '']],
  ['what is over before that', ['4', '2'], ['', '', '42']],
  ['nothing', [], ['']],
])('of %s nothing is let out that could not be known again', (_, pieces, expected) => {
  expect(told(...pieces)).toEqual(expected);
});

test('a row of blanks is not held for ever', () => {
  const opening = createOpening();
  let heldChars = 0;
  for (let turn = 0; turn < 1000; turn++) {
    heldChars = opening.add('  ') === '' ? heldChars + 2 : 0;
    expect(heldChars).toBeLessThan(400);
  }
});

test('half a character is not let out', () => {
  const [first = '', second = ''] = '🎉'.split('');
  expect(told(`Done ${first}`, second)).toEqual(['', 'Done 🎉', '']);
});

test('whatever comes is let out whole, and whoever begins anew is known by what was', () => {
  const piece = fc.constantFrom('a', 'ab', ' ', '\n', '0', ', ', '-', '🎉', '\ud83c', '熔', 'the');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30, size: 'max' }), fc.string(), (pieces, rest) => {
      const out = told(...pieces);
      expect(out.join('')).toBe(pieces.join(''));
      const first = out.slice(0, -1).find((text) => text !== '') ?? '';
      if (first === '') return;
      expect(isRecognisable(first)).toBe(true);
      const seam = createSeam(first);
      const again = `.${rest}`;
      expect(seam.add(first + again) + seam.end()).toBe(again);
    }),
    { numRuns: 300 },
  );
});

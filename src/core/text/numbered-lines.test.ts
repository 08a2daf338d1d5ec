import fc from 'fast-check';
import { expect, test } from 'vitest';
import '../../../test/property-seed.ts';
import { hasLineNumbers, lineNumberAt, numberLines, withoutLineNumbers } from './numbered-lines.ts';

const line = fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, ' '));

test('Numbers of lines are taken out again, and found by position', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), fc.nat(900), (lines, first) => {
      const numbered = numberLines(lines, first);
      expect(hasLineNumbers(numbered)).toBe(true);
      // A line may itself begin with a number and a bar: one number is taken out.
      expect(withoutLineNumbers(numbered)).toBe(lines.join('\n'));
      let position = 0;
      for (const [at, each] of lines.entries()) {
        expect(lineNumberAt(numbered, position)).toBe(first + at);
        expect(lineNumberAt(numbered, position + each.length)).toBe(first + at);
        position += each.length + 1;
      }
      expect(lineNumberAt(numbered, position)).toBeUndefined();
    }),
  );
});

test('A line without a number has none', () => {
  const numbered = '7| a\n8| b\n…\n40| c';
  expect(withoutLineNumbers(numbered)).toBe('a\nb\n…\nc');
  expect([0, 2, 4, 6].map((at) => lineNumberAt(numbered, at))).toEqual([7, 8, undefined, 40]);
});

test.each(['', 'a\nb', '1| a\nb', 'a\n2| b', '| a\n| b', '1234567890| a'])(
  '%j has no numbers',
  (text) => {
    expect(hasLineNumbers(text)).toBe(false);
  },
);

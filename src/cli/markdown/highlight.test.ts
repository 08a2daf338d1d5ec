import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHighlighter } from './highlight.ts';

/** Colours as words: `<magenta:const>`. */
const marked = (colour: string, text: string) => `<${colour}:${text}>`;

const LINES: readonly (readonly [
  language: string,
  lines: readonly string[],
  shown: readonly string[],
])[] = [
  ['ts', ["const x = 'a\\'b'; // 1"], ["<magenta:const> x = <green:'a\\'b'>; <dim:// 1>"]],
  ['js', ['a /* b', 'c */ 0x1F'], ['a <dim:/*><dim: b>', '<dim:c */> <cyan:0x1F>']],
  ['python', ['def f(): # x', 'x#y'], ['<magenta:def> f(): <dim:# x>', 'x#y']],
  ['SQL', ['SELECT 1.5'], ['<magenta:SELECT> <cyan:1.5>']],
  ['diff', ['+a', '-b', '@@ 1', ' c'], ['<green:+a>', '<red:-b>', '<cyan:@@ 1>', ' c']],
  ['unknown', ['const "x"'], ['const "x"']],
];
for (const [language, lines, shown] of LINES) {
  test(`${language} is coloured`, () => {
    expect(lines.map(createHighlighter(language, marked))).toEqual(shown);
  });
}

test('colours change no character of any line', () => {
  const names = fc.constantFrom(
    'ts',
    'py',
    'sh',
    'go',
    'rust',
    'c',
    'sql',
    'lua',
    'yaml',
    'json',
    'html',
    'diff',
  );
  fc.assert(
    fc.property(names, fc.array(fc.string({ unit: 'binary' })), (name, lines) => {
      const highlight = createHighlighter(name, (_, text) => text);
      expect(lines.map(highlight)).toEqual(lines);
    }),
  );
});

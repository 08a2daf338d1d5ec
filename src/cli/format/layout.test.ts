import { expect, test } from 'vitest';
import { ansi } from './colors.ts';
import { formatColumns, wrapText } from './layout.ts';

test('columns are as wide as their widest cell, and colours take no room', () => {
  expect(
    formatColumns([
      ['a', 'one', 'x'],
      [ansi('bold', 'long'), '', 'y'],
    ]),
  ).toBe(`  a     one  x\n  ${ansi('bold', 'long')}       y\n`);
});

test('a row may end early, leaves no blanks behind, and pushes nothing aside', () => {
  expect(formatColumns([['a', 'b'], ['c']], '')).toBe('a  b\nc\n');
  expect(formatColumns([['a', 'b'], ['a long line of its own']], '')).toBe(
    'a  b\na long line of its own\n',
  );
});

test('the last column is wrapped at words to fit the terminal, unless that leaves too little room', () => {
  const rows = [['status', 'What it is doing now, in a few lines: uptime, store.']];
  expect(formatColumns(rows, '', 36)).toBe(
    'status  What it is doing now, in a\n        few lines: uptime, store.\n',
  );
  expect(formatColumns(rows, '', 20)).toBe(formatColumns(rows, ''));
});

test('commands in a help text are not broken over two lines', () => {
  const example = `  exai ${'word '.repeat(30)}`.trimEnd();
  expect(wrapText(`Some words.\n${example}`)).toBe(`Some words.\n${example}`);
});

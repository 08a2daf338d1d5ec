import { expect, test } from 'vitest';
import { columns } from './columns.ts';
import { ansi } from './paint.ts';

test('columns are as wide as their widest cell, and colours take no room', () => {
  expect(
    columns([
      ['a', 'one', 'x'],
      [ansi('bold', 'long'), '', 'y'],
    ]),
  ).toBe(`  a     one  x\n  ${ansi('bold', 'long')}       y\n`);
});

test('a row may end early and leaves no blanks behind', () => {
  expect(columns([['a', 'b'], ['c']], '')).toBe('a  b\nc\n');
});

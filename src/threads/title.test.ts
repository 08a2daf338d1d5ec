import { expect, test } from 'vitest';
import { titleOf } from './title.ts';

test.each([
  ['Why?', 'Why?'],
  ['  \n\n First\r\nsecond', 'First'],
  ['tabs\tand   blanks\u0007', 'tabs and blanks'],
  ['a\u2028b', 'a'],
  ['safe \u202etxt.exe', 'safe txt.exe'],
  ['x'.repeat(2_000_000), `${'x'.repeat(79)}…`],
  ['x'.repeat(80), 'x'.repeat(80)],
])('%.30j is called %.30j', (about, title) => {
  expect(titleOf(about)).toBe(title);
});

test.each(['', ' \n ', '\u0000\u0001', '\u202e'])('%j gives no title', (about) => {
  expect(titleOf(about)).toBeUndefined();
});

test('a pair of surrogates is not cut in halves', () => {
  expect(titleOf('🙂'.repeat(60))?.isWellFormed()).toBe(true);
});

import { expect, test } from 'vitest';
import { forkTitle, titleOf } from './title.ts';

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

test.each([
  ['Skies', 'Skies (fork)'],
  ['Skies (fork)', 'Skies (fork 2)'],
  ['Skies (fork 9)', 'Skies (fork 10)'],
  ['(fork)', '(fork) (fork)'],
  ['x'.repeat(80), `${'x'.repeat(72)}… (fork)`],
  [`${'x'.repeat(72)}… (fork)`, `${'x'.repeat(70)}… (fork 2)`],
])('a copy of %.30j is called %.30j', (title, copy) => {
  expect(forkTitle(title)).toBe(copy);
  expect(copy.length).toBeLessThanOrEqual(80);
});

test('a pair of surrogates is not cut in halves', () => {
  expect(titleOf('🙂'.repeat(60))?.isWellFormed()).toBe(true);
});

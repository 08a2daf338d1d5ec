import { expect, test } from 'vitest';
import { formatArgs } from './elicitation.ts';

test('every argument is named, and values are shortened, never left out', () => {
  const padding = 'x'.repeat(1000);
  expect(formatArgs({ padding, delete_all: true })).toBe(
    `{"padding": "${'x'.repeat(199)}… (802 more characters), "delete_all": true}`,
  );
  expect(formatArgs({})).toBe('no arguments');
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`a${n}`, n]));
  expect(formatArgs(many)).toContain('"a49": 49, and 10 more arguments}');
});

test('characters that hide or turn what follows are written as what they are', () => {
  const args = { 'a\u202Eb': 'c\u2066\u200B\u2028\u007F\u009Bd', line: 'one\ntwo' };
  expect(formatArgs(args)).toBe(
    '{"a\\u{202e}b": "c\\u{2066}\\u{200b}\\u{2028}\\u{7f}\\u{9b}d", "line": "one\\ntwo"}',
  );
});

import { expect, test } from 'vitest';
import { applyKey } from './read-secret.ts';

test.each([
  ['abc', 'abc'],
  ['abc\u007F\b', 'a'],
  ['\u007F', ''],
  ['wrong\u0015right', 'right'],
  ['one two\u0017', 'one '],
  ['one two  \u0017', 'one '],
  ['one\u0017\u0017', ''],
])('the keys %j leave %j', (keys, line) => {
  expect(keys.split('').reduce(applyKey, '')).toBe(line);
});

import { expect, test } from 'vitest';
import { shellQuote } from './shell-quote.ts';

test.each([
  ['laptop', 'laptop'],
  ['/home/me/.exai', '/home/me/.exai'],
  ['', "''"],
  ['a b', "'a b'"],
  ['$(rm -rf ~)', "'$(rm -rf ~)'"],
  ["it's", String.raw`'it'\''s'`],
])('%j is written %s', (word, quoted) => {
  expect(shellQuote(word)).toBe(quoted);
});

import { expect, test } from 'vitest';
import { endsSentence } from './complete-answer.ts';

test.each([
  ['That is all.', true],
  ['Is that all?)”\n\n', true],
  ['完了。', true],
  ['That is', false],
  ['Take some fruit, e.g.', false],
  ['The steps:\n\n  12.', false],
  ['3.', false],
  [`${'word '.repeat(100)}end.`, true],
  ['', false],
])('%j', (text, expected) => {
  expect(endsSentence(text)).toBe(expected);
});

// The square of its length would be minutes, and the time limit of a test.
test('a long answer of blank lines costs no more than its end', () => {
  expect(endsSentence(`${'\n'.repeat(500_000)}x.`)).toBe(true);
});

import { expect, test } from 'vitest';
import { wholeWords } from './whole-words.ts';

test.each([
  ['short', 20, 'short'],
  ['exactly as long as it', 21, 'exactly as long as it'],
  ['a sentence that goes on and on', 20, 'a sentence that …'],
  ['two lines\nof it', 30, 'two lines of it'],
  ['ends with a list (kimi-k3, glm)', 24, 'ends with a list …'],
  ['nospacesatallinthisone', 10, 'nospacesa…'],
])('%j within %i is %j', (text, maxChars, shown) => {
  expect(wholeWords(text, maxChars)).toBe(shown);
  expect(shown.length).toBeLessThanOrEqual(maxChars);
});

import { describe, expect, test } from 'vitest';
import { firstSentence, truncateAtWord } from './text.ts';

describe('whole words', () => {
  test.each([
    ['short', 20, 'short'],
    ['exactly as long as it', 21, 'exactly as long as it'],
    ['a sentence that goes on and on', 20, 'a sentence that …'],
    ['two lines\nof it', 30, 'two lines of it'],
    ['ends with a list (kimi-k3, glm)', 24, 'ends with a list …'],
    ['nospacesatallinthisone', 10, 'nospacesa…'],
  ])('%j within %i is %j', (text, maxChars, shown) => {
    expect(truncateAtWord(text, maxChars)).toBe(shown);
    expect(shown.length).toBeLessThanOrEqual(maxChars);
  });
});

describe('first sentence', () => {
  test.each([
    ['Reads files. Then more.', 'Reads files.'],
    ['Uses e.g.x 3.5 of it', 'Uses e.g.x 3.5 of it'],
    ['First line\nsecond', 'First line'],
    ['', ''],
  ])('of %j it is %j', (text, sentence) => {
    expect(firstSentence(text)).toBe(sentence);
  });
});

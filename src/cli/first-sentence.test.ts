import { expect, test } from 'vitest';
import { firstSentence } from './first-sentence.ts';

test.each([
  ['Reads files. Then more.', 'Reads files.'],
  ['Uses e.g.x 3.5 of it', 'Uses e.g.x 3.5 of it'],
  ['First line\nsecond', 'First line'],
  ['', ''],
])('of %j it is %j', (text, sentence) => {
  expect(firstSentence(text)).toBe(sentence);
});

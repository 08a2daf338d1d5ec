import { expect, test } from 'vitest';
import { createTokenCounter } from './token-counter.ts';

function count(...pieces: readonly string[]): number {
  const tokens = createTokenCounter();
  for (const piece of pieces) tokens.add(piece);
  return tokens.count();
}

test('an empty text has no tokens, and any other at least one', () => {
  expect([count(), count(''), count('a')]).toEqual([0, 0, 1]);
});

test('four letters of the Latin script are a token, and a Chinese sign is nearly one', () => {
  expect(count('word '.repeat(400))).toBe(500);
  expect(count('你好'.repeat(400))).toBe(600);
  expect(count('привет ')).toBe(3);
});

test('how a text is cut into pieces changes nothing', () => {
  const text = 'Antwort 答え ответ 🙂'.repeat(50);
  expect(count(...text.split(''))).toBe(count(text));
});

import { expect, test } from 'vitest';
import { displayWidth, measureCharacters } from './display-width.ts';

const WIDTHS: readonly (readonly [text: string, columns: number])[] = [
  ['', 0],
  ['plain', 5],
  ['naïve', 5],
  ['e\u0301', 1],
  ['世界', 4],
  ['ｆｕｌｌ', 8],
  ['한글', 4],
  ['🦉', 2],
  ['👨\u200D👩\u200D👧', 2],
  ['👍🏽', 2],
  ['🇩🇪🇫🇷', 4],
  ['❤\uFE0F', 2],
  ['❤', 1],
  ['─│•', 3],
  ['שלום', 4],
  ['\u001B[1mbold\u001B[22m', 4],
];
for (const [text, columns] of WIDTHS) {
  test(`${JSON.stringify(text)} takes ${columns} columns`, () => {
    expect(displayWidth(text)).toBe(columns);
  });
}

test('a character with its marks is one', () => {
  const characters = [...measureCharacters('ae\u0301👍🏽b')];
  expect(characters.map(({ text }) => text)).toEqual(['a', 'e\u0301', '👍🏽', 'b']);
});

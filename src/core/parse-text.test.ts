import { expect, test } from 'vitest';
import { parseText } from './parse-text.ts';

const PAD = JSON.stringify('[{'.repeat(50_000));

test.each([
  ['of brackets', `${'['.repeat(600)}${PAD}${']'.repeat(600)}`],
  ['of braces', `${'{"a":'.repeat(600)}${PAD}${'}'.repeat(600)}`],
  ['that never ends', '['.repeat(1_000_000)],
  ['of a million numbers', `[${Array.from({ length: 1_000_000 }, () => '0').join(',')}]`],
])('a large text %s is refused before it is built', (_what, text) => {
  expect(() => parseText(text)).toThrow('too deeply, or has too many');
});

test.each([
  ['brackets within strings', `[${PAD}]`],
  ['escaped quotes', `[${JSON.stringify('"\\"['.repeat(30_000))}]`],
  ['many small nests', `[${Array.from({ length: 40_000 }, () => '[[]]').join(',')}]`],
])('%s are no nesting', (_what, text) => {
  expect(parseText(text)).toEqual(JSON.parse(text));
});

test('a string without an end is no JSON', () => {
  expect(() => parseText(`["${'x'.repeat(70_000)}`)).toThrow(SyntaxError);
});

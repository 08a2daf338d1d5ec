import { expect, test } from 'vitest';
import { countOption } from './count-option.ts';

test('a whole number within its bounds is taken', () => {
  expect(['1', '007', '100', undefined].map((text) => countOption(text, '--limit', 100))).toEqual([
    1,
    7,
    100,
    undefined,
  ]);
});

test.each(['0', '101', '-1', '1.5', '', 'ten', '9'.repeat(400)])('%.20j is refused', (text) => {
  expect(() => countOption(text, '--limit', 100)).toThrow(
    '--limit must be a whole number from 1 to 100',
  );
});

import { expect, test } from 'vitest';
import { isUrl } from './is-url.ts';

const OFTEN = 50_000;

test('a name with an umlaut is one, however often that is asked', () => {
  let refused = 0;
  for (let times = 0; times < OFTEN; times += 1) refused += isUrl('https://münchen.de/') ? 0 : 1;
  expect(refused).toBe(0);
});

test.each([
  ['https://a.example/b', undefined, true],
  ['/b', 'https://a.example/', true],
  ['/b', undefined, false],
  ['https://', undefined, false],
  ['', undefined, false],
])('%j on %j: %s', (text, base, expected) => {
  expect(isUrl(text, base)).toBe(expected);
});

import { expect, test } from 'vitest';
import { bearsToken } from './bearer.ts';

test.each([
  ['Bearer a secret', true],
  ['bearer   a secret', true],
  ['Bearer a secre', false],
  ['Bearer a secrett', false],
  ['Basic a secret', false],
  ['Bearer', false],
  ['Bearer ', false],
  ['', false],
  [undefined, false],
])('%j bears the token: %j', (header, expected) => {
  expect(bearsToken(header, 'a secret')).toBe(expected);
});

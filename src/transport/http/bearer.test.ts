import { expect, test } from 'vitest';
import { bearerOf } from './bearer.ts';

test.each([
  ['Bearer a secret', 'a secret'],
  ['bearer   a secret', 'a secret'],
  ['Basic a secret', undefined],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['', undefined],
  [undefined, undefined],
])('%j bears %j', (header, token) => {
  expect(bearerOf(header)).toBe(token);
});

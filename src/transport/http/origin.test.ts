import { expect, test } from 'vitest';
import { isOurOrigin } from './origin.ts';

test.each([
  [undefined, true],
  ['http://localhost', true],
  ['http://localhost:5173', true],
  ['https://127.0.0.1:8765', true],
  ['http://[::1]:1', true],
  ['HTTP://LocalHost', true],
  ['https://exai.lan', true],
  ['http://10.0.0.7:8765', true],
  ['null', false],
  ['', false],
  ['http://evil.example', false],
  ['http://localhost.evil.example', false],
  ['http://localhost@evil.example', false],
  ['http://evil.example/localhost', false],
  ['http://localhost/path', false],
  ['http://localhost#', false],
  ['file://', false],
  ['localhost', false],
  ['http://localhost, http://evil.example', false],
  ['chrome-extension://localhost', false],
])('Origin %j: ours is %j', (header, expected) => {
  expect(isOurOrigin(header, ['exai.lan'], '::ffff:10.0.0.7')).toBe(expected);
});

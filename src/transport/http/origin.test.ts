import { expect, test } from 'vitest';
import { isOurOrigin } from './origin.ts';

test.each([
  [undefined, true],
  ['http://localhost:8765', true],
  ['https://localhost:8765', true],
  ['HTTP://LocalHost:8765', true],
  ['https://app.example', true],
  ['http://localhost', false],
  ['http://localhost:5173', false],
  ['http://127.0.0.1:8765', false],
  ['null', false],
  ['', false],
  ['http://evil.example', false],
  ['http://localhost:8765.evil.example', false],
  ['http://localhost:8765@evil.example', false],
  ['http://evil.example/localhost:8765', false],
  ['http://localhost:8765/path', false],
  ['file://', false],
  ['localhost:8765', false],
  ['http://localhost:8765, http://evil.example', false],
  ['chrome-extension://localhost:8765', false],
])('Origin %j: ours is %j', (header, expected) => {
  expect(isOurOrigin(header, 'Localhost:8765', ['https://app.example'])).toBe(expected);
});

test('a request without a Host has no pages of ours', () => {
  expect(isOurOrigin('http://', undefined, [])).toBe(false);
});

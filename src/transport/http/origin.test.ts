import { expect, test } from 'vitest';
import { checkSite, isOurOrigin } from './origin.ts';

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

test.each([
  {},
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' },
])('what comes with %j is no page of another site, or has an Origin to go by', (headers) => {
  expect(() => checkSite(headers)).not.toThrow();
});

test.each(['cross-site', 'same-site'])(
  'what a page loads %s without an Origin is refused',
  (site) => {
    expect(() => checkSite({ 'sec-fetch-site': site })).toThrow('other sites');
  },
);

import { expect, test } from 'vitest';
import { listeningHost } from './bind-policy.ts';

const LONG = 'x'.repeat(16);
const SHORT = 'x'.repeat(15);

test.each([
  ['127.0.0.1', '', false, '127.0.0.1'],
  ['[::1]', '', false, '::1'],
  ['localhost', SHORT, true, 'localhost'],
  ['0.0.0.0', LONG, false, '0.0.0.0'],
])('on %s with the token %j and requireToken %j it listens', (host, token, requireToken, bound) => {
  expect(listeningHost({ host, token, auth: { requireToken } })).toBe(bound);
});

test.each([
  ['127.0.0.1', '', true, 'not_configured'],
  ['0.0.0.0', '', false, 'not_configured'],
  ['exai.lan', '', false, 'not_configured'],
  ['0.0.0.0', SHORT, false, 'validation'],
])('on %s with the token %j and requireToken %j it does not', (host, token, requireToken, why) => {
  expect(() => listeningHost({ host, token, auth: { requireToken } })).toThrow(
    expect.objectContaining({ class: why, field: 'token' }) as Error,
  );
});

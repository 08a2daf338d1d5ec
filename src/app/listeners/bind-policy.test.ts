import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { generateOwnerToken } from '#config/secrets/owner-token.ts';
import { listeningHost, needsToken } from './bind-policy.ts';

const LONG = 'x'.repeat(16);
const SHORT = 'x'.repeat(15);
const GENERATED = generateOwnerToken((bytes) => new Uint8Array(bytes));

test.each([
  ['127.0.0.1', '', false, '127.0.0.1'],
  ['127.0.0.1', '', true, '127.0.0.1'],
  ['[::1]', '', false, '::1'],
  ['localhost', LONG, true, 'localhost'],
  ['0.0.0.0', '', true, '0.0.0.0'],
  ['0.0.0.0', LONG, false, '0.0.0.0'],
])('on %s with the token %j and requireToken %j it listens', (host, token, requireToken, bound) => {
  expect(listeningHost({ host, token, auth: { requireToken } })).toBe(bound);
});

test.each([
  ['0.0.0.0', '', false, 'not_configured'],
  ['exai.lan', '', false, 'not_configured'],
  ['0.0.0.0', SHORT, false, 'validation'],
  ['127.0.0.1', SHORT, true, 'validation'],
  ['127.0.0.1', `${LONG} ${LONG}`, true, 'validation'],
])('on %s with the token %j and requireToken %j it does not', (host, token, requireToken, why) => {
  expect(() => listeningHost({ host, token, auth: { requireToken } })).toThrow(
    expect.objectContaining({ class: why, field: 'token' }) as Error,
  );
});

verifies(
  'security:token-opt-out',
  'without requireToken a generated token is not demanded on loopback, and every other one is',
  () => {
    const needs = (host: string, token: string, requireToken: boolean) =>
      needsToken({ host, token, auth: { requireToken } });
    expect(needs('127.0.0.1', GENERATED, false)).toBe(false);
    expect(needs('127.0.0.1', '', false)).toBe(false);
    expect(needs('127.0.0.1', LONG, false)).toBe(true);
    expect(needs('127.0.0.1', '', true)).toBe(true);
    expect(needs('127.0.0.1', GENERATED, true)).toBe(true);
    expect(needs('0.0.0.0', GENERATED, false)).toBe(true);
  },
);

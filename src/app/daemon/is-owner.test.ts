import { expect, test } from 'vitest';
import { OWNER } from '#auth/authenticator.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Credentials, Authenticator } from '#core/auth/authenticator.ts';
import { isOwner } from './is-owner.ts';

const CONNECTION = { remoteAddress: '127.0.0.1' };

function authenticator(arrivals: Credentials[] = []): Authenticator {
  return {
    async authenticate(arrival) {
      arrivals.push(arrival);
      if (arrival.token === 'owner') return OWNER;
      if (arrival.token === 'client') return { ...OWNER, principal: 'ci' };
      if (arrival.token === 'bug') throw new TypeError('a bug');
      throw new CallError('auth', 'No.');
    },
    rotate: () => Promise.reject(new Error('Nobody rotates here')),
  };
}

test('a caller with the owner’s token is the owner', async () => {
  expect(await isOwner(authenticator(), 'owner', CONNECTION)).toBe(true);
  expect(await isOwner(authenticator(), 'client', CONNECTION)).toBe(false);
  expect(await isOwner(authenticator(), 'wrong', CONNECTION)).toBe(false);
  expect(await isOwner(authenticator(), undefined, CONNECTION)).toBe(false);
  await expect(isOwner(authenticator(), 'bug', CONNECTION)).rejects.toThrow(TypeError);
});

test('a wrong token is logged, a missing one is not', async () => {
  const arrivals: Credentials[] = [];
  await isOwner(authenticator(arrivals), 'wrong', CONNECTION);
  await isOwner(authenticator(arrivals), undefined, CONNECTION);
  expect(arrivals.map(({ phase: during }) => during)).toEqual(['probe', 'request']);
});

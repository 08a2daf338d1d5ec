import { expect, test } from 'vitest';
import { LOCAL } from '#calls/doorman.ts';
import { CallError } from '#core/call-error.ts';
import type { Arrival, Doorman } from '#core/doorman.ts';
import { isOwner } from './is-owner.ts';

const CONNECTION = { remoteAddress: '127.0.0.1' };

function doorman(arrivals: Arrival[] = []): Doorman {
  return {
    async identify(arrival) {
      arrivals.push(arrival);
      if (arrival.token === 'owner') return LOCAL;
      if (arrival.token === 'client') return { ...LOCAL, principal: 'ci' };
      if (arrival.token === 'bug') throw new TypeError('a bug');
      throw new CallError('auth', 'No.');
    },
    rotate: () => Promise.reject(new Error('Nobody rotates here')),
  };
}

test('the owner is who bears the owner’s token', async () => {
  expect(await isOwner(doorman(), 'owner', CONNECTION)).toBe(true);
  expect(await isOwner(doorman(), 'client', CONNECTION)).toBe(false);
  expect(await isOwner(doorman(), 'wrong', CONNECTION)).toBe(false);
  expect(await isOwner(doorman(), undefined, CONNECTION)).toBe(false);
  await expect(isOwner(doorman(), 'bug', CONNECTION)).rejects.toThrow(TypeError);
});

test('a wrong token is worth a line of the log, none at all is not', async () => {
  const arrivals: Arrival[] = [];
  await isOwner(doorman(arrivals), 'wrong', CONNECTION);
  await isOwner(doorman(arrivals), undefined, CONNECTION);
  expect(arrivals.map(({ during }) => during)).toEqual(['probe', 'request']);
});

import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { verifies } from '../../test/verifies.ts';
import { CallError } from '#core/errors/call-error.ts';
import { createIds } from '#core/ids.ts';
import { GENERATED_TOKEN_PREFIX } from '#core/auth/owner-token.ts';
import type { ClientStore } from '#core/stores/clients.ts';
import { createListLog } from '../../test/list-log.ts';
import { createAuthenticator, OWNER } from './authenticator.ts';
import { createGuessLimit } from './guess-limit.ts';

const HERE = '127.0.0.1';

function guess(limit: ReturnType<typeof createGuessLimit>, from: number, to: number): void {
  for (let n = from; n < to; n += 1) limit.refused(HERE, `digest-${n}`);
}

verifies('security:guessing', 'after 20 wrong tokens an address has to wait, and no other', () => {
  const clock = createFakeClock();
  const limit = createGuessLimit(clock);
  expect(limit.isIdle).toBe(true);
  guess(limit, 0, 19);
  expect(limit.waitMs(HERE)).toBe(0);
  guess(limit, 19, 20);
  expect(limit.waitMs(HERE)).toBe(3000);
  expect(limit.waitMs('192.0.2.1')).toBe(0);
  clock.advance(3000);
  expect(limit.waitMs(HERE)).toBe(0);
  guess(limit, 20, 21);
  expect(limit.waitMs(HERE)).toBe(3000);
});

test('one wrong token that is repeated is no guessing', () => {
  const limit = createGuessLimit(createFakeClock());
  for (let n = 0; n < 1000; n += 1) limit.refused(HERE, 'the same');
  expect(limit.waitMs(HERE)).toBe(0);
});

test('an address that is quiet for a minute is forgotten', () => {
  const clock = createFakeClock();
  const limit = createGuessLimit(clock);
  guess(limit, 0, 50);
  clock.advance(60_000);
  expect(limit.waitMs(HERE)).toBe(0);
  expect(limit.isIdle).toBe(true);
});

test('guesses from very many addresses take a bounded place', () => {
  const limit = createGuessLimit(createFakeClock());
  for (let n = 0; n < 20; n += 1) limit.refused(HERE, `digest-${n}`);
  for (let n = 0; n < 5000; n += 1) limit.refused(`10.0.${n >> 8}.${n & 255}`, 'x');
  expect(limit.waitMs(HERE)).toBe(0);
});

describe('the authenticator', () => {
  const CHOSEN = 'chosen-by-the-owner';
  const clock = createFakeClock();
  const nobody = { byToken: async () => undefined } as unknown as ClientStore;
  const doormanOf = (token: string) =>
    createAuthenticator({
      token,
      anonymous: 'refused',
      peerUser: async () => 'same',
      graceMs: 0,
      clients: nobody,
      clock,
      random: (bytes) => new Uint8Array(bytes),
      log: createListLog(),
      newId: createIds(clock, (bytes) => new Uint8Array(bytes)),
      checkToken: () => undefined,
      saveToken: () => ({ kept: true }),
    });
  /** Each with a connection of its own, unless told. */
  const comer =
    (authenticator: ReturnType<typeof doormanOf>) =>
    (token: string, connection = { remoteAddress: HERE }) =>
      authenticator.authenticate({ transport: 'tcp', token, connection });
  const limited = { class: 'rate_limit', retryAfterMs: 3000 };

  async function guessMany(come: ReturnType<typeof comer>): Promise<void> {
    for (let n = 0; n < 20; n += 1) await expect(come(`guess-${n}`)).rejects.toThrow(CallError);
    await expect(come('guess-20')).rejects.toMatchObject(limited);
  }

  verifies('security:guessing', 'tells nothing about one of many guesses', async () => {
    const authenticator = doormanOf(CHOSEN);
    const come = comer(authenticator);
    await guessMany(come);
    await expect(come(CHOSEN)).rejects.toMatchObject(limited);
    expect(await authenticator.authenticate({ transport: 'unix', token: CHOSEN })).toMatchObject(
      OWNER,
    );
    clock.advance(3000);
    expect(await come(CHOSEN)).toMatchObject(OWNER);
  });

  verifies(
    'security:guessing',
    'does not affect connections with a proven token, nor tokens that cannot be guessed',
    async () => {
      const come = comer(doormanOf(CHOSEN));
      const kept = { remoteAddress: HERE };
      await come(CHOSEN, kept);
      await guessMany(come);
      expect(await come(CHOSEN, kept)).toMatchObject(OWNER);
      await expect(come('guess-21', kept)).rejects.toMatchObject(limited);
      await expect(come(CHOSEN)).rejects.toMatchObject(limited);
      const generated = `${GENERATED_TOKEN_PREFIX}${'x'.repeat(43)}`;
      const other = comer(doormanOf(generated));
      await guessMany(other);
      expect(await other(generated)).toMatchObject(OWNER);
    },
  );
});

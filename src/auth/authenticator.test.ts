import { hash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createIds } from '#core/ids.ts';
import type { Client, ClientStore } from '#core/stores/clients.ts';
import { createFakeClock, type FakeClock } from '../../test/fake-clock.ts';
import { createListLog, type ListLog } from '../../test/list-log.ts';
import { verifies } from '../../test/verifies.ts';
import { CLIENT_TOKEN_PREFIX } from '#core/auth/client-token.ts';
import { createAuthenticator, OWNER } from './authenticator.ts';

describe('authenticator', () => {
  const OWNERS = 'the-token-of-the-owner';
  const CLIENTS = 'the-token-of-a-client';
  const GRACE_MS = 60_000;

  let clock: FakeClock;
  let clients: Client[];
  let kept: string[];
  let log: ListLog;

  beforeEach(() => {
    clock = createFakeClock();
    kept = [];
    log = createListLog();
    clients = [
      {
        id: 'client_ide',
        name: 'ide',
        principal: 'ide',
        tokenSha256: hash('sha256', CLIENTS),
        scopes: ['read:*'],
        createdAt: 0,
        expiresAt: null,
      },
    ];
  });

  const store: ClientStore = {
    add: async (client) => void clients.push({ ...client, createdAt: 0, expiresAt: null }),
    list: async () => clients,
    hasData: async () => false,
    byToken: async (tokenSha256) => clients.find((client) => client.tokenSha256 === tokenSha256),
    async expire(id, expiresAt) {
      clients = clients.map((client) => (client.id === id ? { ...client, expiresAt } : client));
    },
    async replace(id, next, oldUntilMs) {
      await store.add(next);
      await store.expire(id, oldUntilMs);
    },
  };

  function doormanOf(
    token: string,
    clientStore = store,
    more: Partial<Parameters<typeof createAuthenticator>[0]> = {},
  ) {
    return createAuthenticator({
      token,
      anonymous: token === '' ? 'allowed' : 'refused',
      peerUser: async () => 'same',
      graceMs: GRACE_MS,
      clients: clientStore,
      clock,
      random: (bytes) => new Uint8Array(bytes).fill(7),
      log,
      newId: createIds(clock, (bytes) => new Uint8Array(bytes)),
      checkToken(given) {
        if (given.length < 16) throw new CallError('validation', 'too short', { field: 'new' });
      },
      saveToken(given) {
        kept.push(given);
        return { kept: false, note: 'Write it to .env.' };
      },
      ...more,
    });
  }

  const tcp = (token?: string) => ({ transport: 'tcp', token }) as const;
  const UNAUTHORISED = { class: 'auth', field: 'token' };

  describe('who comes in', () => {
    verifies(
      'access:tokens',
      'by the unix socket is the owner, unless it acts for a client, and never for one that was shown out',
      async () => {
        const authenticator = doormanOf(OWNERS);
        const unix = (token?: string) => authenticator.authenticate({ transport: 'unix', token });
        for (const token of [undefined, 'of-nobody', OWNERS]) {
          expect(await unix(token)).toMatchObject(OWNER);
        }
        expect(await unix(CLIENTS)).toMatchObject({ principal: 'ide', scopes: ['read:*'] });
        authenticator.revoke('client_ide');
        await store.expire('client_ide', clock.now());
        await expect(unix(CLIENTS)).rejects.toMatchObject(UNAUTHORISED);
      },
    );

    verifies(
      'access:tokens',
      'by the unix socket with what looks like a client’s token, and is none, is refused and never the owner',
      async () => {
        const authenticator = doormanOf(OWNERS);
        const unix = (token: string) => authenticator.authenticate({ transport: 'unix', token });
        for (const token of ['exai_0123456789abcdef', CLIENT_TOKEN_PREFIX]) {
          await expect(unix(token)).rejects.toMatchObject(UNAUTHORISED);
        }
        const own = doormanOf('exai_chosen_by_the_owner');
        const credentials = { transport: 'unix', token: 'exai_chosen_by_the_owner' } as const;
        expect(await own.authenticate(credentials)).toMatchObject(OWNER);
      },
    );

    verifies('access:tokens', 'with the owner’s token is the owner', async () => {
      expect(await doormanOf(OWNERS).authenticate(tcp(OWNERS))).toMatchObject(OWNER);
    });

    verifies('access:tokens', 'with a client’s token is that client, with its scopes', async () => {
      expect(await doormanOf(OWNERS).authenticate(tcp(CLIENTS))).toMatchObject({
        principal: 'ide',
        scopes: ['read:*'],
        roots: [],
      });
    });

    verifies(
      'security:token-opt-out',
      'without a token, where none is needed, is a program of the same user, and anonymous',
      async () => {
        const by = (user: 'same' | 'other' | 'unsupported') =>
          doormanOf('', store, { peerUser: async () => user }).authenticate(tcp());
        expect(await by('same')).toMatchObject({ principal: 'local', isAnonymous: true });
        expect(await by('unsupported')).toMatchObject({ principal: 'local', isAnonymous: true });
        await expect(by('other')).rejects.toMatchObject(UNAUTHORISED);
        const optional = doormanOf(OWNERS, store, { anonymous: 'allowed' });
        expect(await optional.authenticate(tcp(OWNERS))).not.toHaveProperty('isAnonymous');
        expect(await optional.authenticate({ transport: 'unix', token: undefined })).toEqual(OWNER);
      },
    );

    verifies(
      'access:tokens',
      'without a token is the owner only where the owner has none',
      async () => {
        expect(await doormanOf('').authenticate(tcp())).toMatchObject(OWNER);
        await expect(doormanOf(OWNERS).authenticate(tcp())).rejects.toMatchObject(UNAUTHORISED);
        await expect(doormanOf(OWNERS).authenticate(tcp(''))).rejects.toMatchObject(UNAUTHORISED);
      },
    );

    test.each([
      ['the-token-of-the-owneR'],
      [`${OWNERS} `],
      [OWNERS.slice(0, -1)],
      ['x'.repeat(1_000_000)],
      ['__proto__'],
    ])('with a wrong token is refused, also where none is needed', async (token) => {
      for (const own of [OWNERS, '']) {
        const refusal: unknown = await doormanOf(own)
          .authenticate(tcp(token))
          .catch((thrown: unknown) => thrown);
        expect(refusal).toMatchObject(UNAUTHORISED);
        expect(JSON.stringify(refusal)).not.toContain(token);
      }
    });

    verifies('access:tokens', 'with an expired token is refused from that moment on', async () => {
      await store.expire('client_ide', clock.now() + 1000);
      const authenticator = doormanOf(OWNERS);
      clock.advance(999);
      expect((await authenticator.authenticate(tcp(CLIENTS))).principal).toBe('ide');
      clock.advance(1);
      await expect(authenticator.authenticate(tcp(CLIENTS))).rejects.toMatchObject(UNAUTHORISED);
    });
  });

  verifies(
    'access:tokens',
    'a token that is taken away ends what it opened, and nothing else',
    async () => {
      const authenticator = doormanOf(OWNERS);
      const client = await authenticator.authenticate(tcp(CLIENTS));
      const owner = await authenticator.authenticate({ transport: 'unix', token: undefined });
      authenticator.revoke(client.credential ?? '');
      expect([
        authenticator.isCredentialValid(client),
        authenticator.isCredentialValid(owner),
      ]).toEqual([false, true]);
      expect(JSON.stringify([client, owner])).not.toContain(CLIENTS);
    },
  );

  describe('a client that comes with every request', () => {
    function counting() {
      let looked = 0;
      const byToken = (token: string) => {
        looked += 1;
        return store.byToken(token);
      };
      const counted = { ...store, byToken };
      return { looks: () => looked, clients: counted };
    }

    test('is looked up again after a while, so that revocation by another daemon is noticed', async () => {
      const { looks, clients: counted } = counting();
      const authenticator = doormanOf(OWNERS, counted);
      for (let n = 0; n < 100; n++) await authenticator.authenticate(tcp(CLIENTS));
      expect(looks()).toBe(1);
      clients = [];
      clock.advance(5000);
      await expect(authenticator.authenticate(tcp(CLIENTS))).rejects.toMatchObject(UNAUTHORISED);
    });

    verifies('access:tokens', 'is refused at once when its token is taken away here', async () => {
      const authenticator = doormanOf(OWNERS);
      await authenticator.authenticate(tcp(CLIENTS));
      clients = [];
      authenticator.revoke('client_ide');
      await expect(authenticator.authenticate(tcp(CLIENTS))).rejects.toMatchObject(UNAUTHORISED);
    });

    test('is looked up each time while its token is wrong', async () => {
      const { looks, clients: counted } = counting();
      const authenticator = doormanOf(OWNERS, counted);
      for (let n = 0; n < 3; n++) {
        await expect(authenticator.authenticate(tcp('wrong'))).rejects.toMatchObject(UNAUTHORISED);
      }
      expect(looks()).toBe(3);
    });
  });

  describe('a new token', () => {
    const NEXT = 'another-token-of-someone';

    verifies(
      'access:tokens',
      'of the owner is valid at once and saved, and the old one stays valid for the grace period',
      async () => {
        const authenticator = doormanOf(OWNERS);
        expect(await authenticator.rotate(OWNERS, NEXT)).toEqual({
          graceMs: GRACE_MS,
          kept: false,
          note: 'Write it to .env.',
        });
        expect(kept).toEqual([NEXT]);
        expect(await authenticator.authenticate(tcp(NEXT))).toMatchObject(OWNER);
        clock.advance(GRACE_MS - 1);
        expect(await authenticator.authenticate(tcp(OWNERS))).toMatchObject(OWNER);
        clock.advance(1);
        await expect(authenticator.authenticate(tcp(OWNERS))).rejects.toMatchObject(UNAUTHORISED);
        expect(await authenticator.authenticate(tcp(NEXT))).toMatchObject(OWNER);
      },
    );

    verifies('access:tokens', 'does not prolong the grace of the one before the last', async () => {
      const authenticator = doormanOf(OWNERS);
      await authenticator.rotate(OWNERS, NEXT);
      clock.advance(GRACE_MS / 2);
      await authenticator.rotate(NEXT, 'a-third-token-of-someone');
      clock.advance(GRACE_MS / 2);
      await expect(authenticator.authenticate(tcp(OWNERS))).rejects.toMatchObject(UNAUTHORISED);
      expect(await authenticator.authenticate(tcp(NEXT))).toMatchObject(OWNER);
    });

    verifies(
      'access:tokens',
      'of a client’s has the rights of the old one, which opens for the grace',
      async () => {
        const authenticator = doormanOf(OWNERS);
        expect(await authenticator.rotate(CLIENTS, NEXT)).toEqual({
          graceMs: GRACE_MS,
          kept: true,
        });
        const client = { principal: 'ide', scopes: ['read:*'], roots: [] };
        expect(await authenticator.authenticate(tcp(NEXT))).toMatchObject(client);
        clock.advance(GRACE_MS - 1);
        expect(await authenticator.authenticate(tcp(CLIENTS))).toMatchObject(client);
        clock.advance(1);
        await expect(authenticator.authenticate(tcp(CLIENTS))).rejects.toMatchObject(UNAUTHORISED);
        expect(JSON.stringify(clients)).not.toContain(NEXT);
      },
    );

    verifies(
      'access:tokens',
      'cannot be chosen by one that was replaced already, nor be the old one',
      async () => {
        const authenticator = doormanOf(OWNERS);
        for (const old of [OWNERS, CLIENTS]) {
          await authenticator.rotate(old, `${NEXT}-${old}`);
          const again = authenticator.rotate(old, 'a-third-token-of-someone');
          await expect(again).rejects.toMatchObject(UNAUTHORISED);
          const same = authenticator.rotate(`${NEXT}-${old}`, `${NEXT}-${old}`);
          await expect(same).rejects.toMatchObject({ class: 'validation', field: 'new' });
        }
      },
    );

    verifies('access:tokens', 'ends, after the grace, what the old one opened', async () => {
      const authenticator = doormanOf(OWNERS);
      for (const old of [OWNERS, CLIENTS]) {
        const caller = await authenticator.authenticate(tcp(old));
        await authenticator.rotate(old, `${NEXT}-of-${old}`);
        const fresh = await authenticator.authenticate(tcp(`${NEXT}-of-${old}`));
        clock.advance(GRACE_MS - 1);
        expect([
          authenticator.isCredentialValid(caller),
          authenticator.isCredentialValid(fresh),
        ]).toEqual([true, true]);
        clock.advance(1);
        expect([
          authenticator.isCredentialValid(caller),
          authenticator.isCredentialValid(fresh),
        ]).toEqual([false, true]);
      }
    });

    test.each([['wrong-old-token-here'], ['']])(
      'needs the old one: %j changes nothing',
      async (old) => {
        for (const own of [OWNERS, ''])
          await expect(doormanOf(own).rotate(old, NEXT)).rejects.toMatchObject(UNAUTHORISED);
        expect([kept, clients.length]).toEqual([[], 1]);
      },
    );

    test.each(['short', 'with a space in the middle', 'x'.repeat(513), 'ünicode-token-of-someone'])(
      'that will not do is refused by its field: %j',
      async (next) => {
        const authenticator = doormanOf(OWNERS);
        await expect(authenticator.rotate(CLIENTS, next)).rejects.toMatchObject({
          class: 'validation',
          field: 'new',
        });
        expect(clients).toHaveLength(1);
      },
    );

    verifies(
      'access:tokens',
      'of the owner’s that will not do leaves the old one as it is',
      async () => {
        const authenticator = doormanOf(OWNERS);
        await expect(authenticator.rotate(OWNERS, 'short')).rejects.toMatchObject({
          class: 'validation',
        });
        clock.advance(10 * GRACE_MS);
        expect(await authenticator.authenticate(tcp(OWNERS))).toMatchObject(OWNER);
        expect(kept).toEqual([]);
      },
    );
  });

  describe('the log', () => {
    test('tells of every refusal and every new token, and never a token', async () => {
      const authenticator = doormanOf(OWNERS);
      const wrong = 'a-wrong-token-of-somebody';
      await authenticator.authenticate(tcp(wrong)).catch(() => undefined);
      await authenticator.authenticate(tcp()).catch(() => undefined);
      await authenticator.rotate(wrong, 'a-new-token-of-somebody').catch(() => undefined);
      await authenticator.rotate(OWNERS, 'a-new-token-of-the-owner');
      await authenticator.rotate(CLIENTS, 'a-new-token-of-a-client');
      const about = { grace_ms: GRACE_MS };
      expect(log.lines).toEqual([
        {
          event: 'token_refused',
          fields: { during: 'hello', reason: 'Invalid token.' },
        },
        {
          event: 'token_refused',
          fields: { during: 'hello', reason: 'A token is required over TCP.' },
        },
        {
          event: 'token_refused',
          fields: { during: 'rotation', reason: 'The old token is invalid.' },
        },
        { event: 'token_rotated', fields: { principal: 'local', ...about, kept: false } },
        { event: 'token_rotated', fields: { principal: 'ide', ...about, kept: true } },
      ]);
      expect(JSON.stringify(log.lines)).not.toMatch(/-token-of-/);
    });

    test('leaves a refused request to its own line, and tells of a wrong token at a probe', async () => {
      const authenticator = doormanOf(OWNERS);
      for (const during of ['request', 'probe'] as const) {
        await expect(
          authenticator.authenticate({ ...tcp('wrong'), phase: during }),
        ).rejects.toMatchObject({
          class: 'auth',
        });
      }
      expect(log.lines).toEqual([
        {
          event: 'token_refused',
          fields: { during: 'probe', reason: 'Invalid token.' },
        },
      ]);
    });

    test('is not filled by one who tries tokens by the thousand', async () => {
      const authenticator = doormanOf(OWNERS);
      for (let i = 0; i < 1000; i++)
        await authenticator.authenticate(tcp(`${i}`)).catch(() => undefined);
      expect(log.lines).toHaveLength(20);
      clock.advance(60_000);
      expect(log.lines.at(-1)).toEqual({
        event: 'token_refused_more',
        fields: { left_out: 980 },
      });
    });
  });

  verifies(
    'security:client-identity',
    'a client is known by its principal, also when its token is replaced',
    async () => {
      clients = clients.map((client) => ({ ...client, principal: 'ide#2' }));
      const authenticator = doormanOf(OWNERS);
      expect(await authenticator.authenticate(tcp(CLIENTS))).toMatchObject({ principal: 'ide#2' });
      await authenticator.rotate(CLIENTS, 'another-token-of-the-ide');
      expect(await authenticator.authenticate(tcp('another-token-of-the-ide'))).toMatchObject({
        principal: 'ide#2',
      });
      expect(clients.map(({ name, principal }) => [name, principal])).toEqual([
        ['ide', 'ide#2'],
        ['ide', 'ide#2'],
      ]);
    },
  );
});

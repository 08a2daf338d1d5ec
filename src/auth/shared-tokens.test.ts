import { hash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createIds } from '#core/ids.ts';
import type { Client, ClientStore } from '#core/stores/clients.ts';
import { createFakeClock, type FakeClock } from '../../test/fake-clock.ts';
import { createListLog } from '../../test/list-log.ts';
import { verifies } from '../../test/verifies.ts';
import { createAuthenticator } from './authenticator.ts';

const CLIENTS = 'the-token-of-a-client';
const GRACE_MS = 60_000;
const UNAUTHORISED = { class: 'auth', field: 'token' };

let clock: FakeClock;
let clients: Client[];

beforeEach(() => {
  clock = createFakeClock();
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
  add: async (client) => void clients.push({ ...client, createdAt: clock.now(), expiresAt: null }),
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

function open() {
  return createAuthenticator({
    token: 'the-token-of-the-owner',
    anonymous: 'refused',
    peerUser: async () => 'same',
    graceMs: GRACE_MS,
    clients: store,
    clock,
    random: (bytes) => new Uint8Array(bytes).fill(7),
    log: createListLog(),
    newId: createIds(clock, (bytes) => new Uint8Array(bytes)),
    checkToken: () => undefined,
    saveToken: () => ({ kept: true }),
  });
}

const tcp = (token: string) => ({ transport: 'tcp', token }) as const;

verifies(
  'access:tokens-shared',
  'a token that another daemon removed ends what it opened here, whatever the clocks say',
  async () => {
    const authenticator = open();
    const client = await authenticator.authenticate(tcp(CLIENTS));
    // The clock of the other daemon is a day ahead.
    await store.expire('client_ide', clock.now() + 86_400_000);
    expect(authenticator.isCredentialValid(client)).toBe(true);
    await authenticator.refresh();
    expect(authenticator.isCredentialValid(client)).toBe(false);
    await expect(authenticator.authenticate(tcp(CLIENTS))).rejects.toMatchObject(UNAUTHORISED);
  },
);

test('a token that another daemon replaced is good for the grace period at most', async () => {
  const authenticator = open();
  const client = await authenticator.authenticate(tcp(CLIENTS));
  const next = {
    id: 'client_next',
    tokenSha256: 'x',
    name: 'ide',
    principal: 'ide',
    scopes: [],
  } as const;
  await store.replace('client_ide', next, clock.now() + 86_400_000);
  await authenticator.refresh();
  clock.advance(GRACE_MS - 1);
  expect(authenticator.isCredentialValid(client)).toBe(true);
  clock.advance(1);
  expect(authenticator.isCredentialValid(client)).toBe(false);
});

test.each([
  ['with data of its own', 'ide-2'],
  ['with the data of the earlier one', 'ide'],
])(
  'a removed token does not become valid where its client was added again %s and the clock is set back',
  async (_, principal) => {
    clock.advance(3_600_000);
    await store.expire('client_ide', clock.now());
    clock.advance(1);
    await store.add({
      id: 'client_next',
      name: 'ide',
      principal,
      tokenSha256: hash('sha256', 'the-token-of-the-next-client'),
      scopes: [],
    });
    clock.jump(-1_800_000);
    const authenticator = open();
    await authenticator.refresh();
    await expect(authenticator.authenticate(tcp(CLIENTS))).rejects.toMatchObject(UNAUTHORISED);
    const next = await authenticator.authenticate(tcp('the-token-of-the-next-client'));
    expect(authenticator.isCredentialValid(next)).toBe(true);
  },
);

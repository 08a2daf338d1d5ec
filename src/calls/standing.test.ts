import { expect, test } from 'vitest';
import type { Client } from '#core/stores/clients.ts';
import { createStanding } from './standing.ts';

const CLIENT: Client = {
  id: 'client_1',
  name: 'bob',
  principal: 'bob',
  tokenSha256: '',
  scopes: ['chat'],
  createdAt: 0,
  expiresAt: null,
};
const BOB = { principal: 'bob', scopes: ['*'], roots: ['/a'], credential: 'client_0' };
const among = (...clients: readonly Client[]) =>
  createStanding({ list: async () => [...clients] }, { now: () => 100 });

test('a client is who it is today, by any of its tokens that is good', async () => {
  const old = { ...CLIENT, id: 'client_0' as const, expiresAt: 100 };
  const today = { ...BOB, scopes: ['chat'], credential: 'client_1' };
  expect(await among(old, CLIENT)(BOB)).toEqual(today);
  expect(await among(old)(BOB)).toBeUndefined();
  expect(await among({ ...CLIENT, name: 'ann', principal: 'ann' })(BOB)).toBeUndefined();
});

test('the owner stays the owner, whatever token it came with', async () => {
  const owner = { principal: 'local', scopes: ['*'], roots: [] };
  expect(await among()({ ...owner, credential: '01020304' })).toEqual(owner);
  expect(await among()(owner)).toEqual(owner);
});

test('a client that has the name of a removed one does not stand in for it', async () => {
  const removed = { ...CLIENT, id: 'client_0' as const, expiresAt: 50 };
  expect(await among(removed, { ...CLIENT, principal: 'bob#2' })(BOB)).toBeUndefined();
});

import { describe, expect, test } from 'vitest';
import { asAgent } from '#core/auth/as-agent.ts';
import type { Client } from '#core/stores/clients.ts';
import { createCallerResolver } from './authenticator.ts';

describe('the caller resolver', () => {
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
    createCallerResolver({ list: async () => [...clients] }, { now: () => 100 });

  test('gives a client its present scopes, by any of its valid tokens', async () => {
    const old = { ...CLIENT, id: 'client_0' as const, expiresAt: 100 };
    const today = { ...BOB, scopes: ['chat'], credential: 'client_1' };
    expect(await among(old, CLIENT)(BOB)).toEqual(today);
    expect(await among(old)(BOB)).toBeUndefined();
    expect(await among({ ...CLIENT, name: 'ann', principal: 'ann' })(BOB)).toBeUndefined();
  });

  test('leaves an agent the agent that it was', async () => {
    const agent = asAgent(BOB, 'main');
    expect(await among(CLIENT)({ ...agent, credential: 'client_1' })).toMatchObject({
      agent: 'main',
      scopes: ['chat'],
    });
    const owner = asAgent({ principal: 'local', scopes: ['*'], roots: [] }, 'main');
    expect(await among()(owner)).toEqual(owner);
  });

  test('leaves the owner as the owner, whatever its token', async () => {
    const owner = { principal: 'local', scopes: ['*'], roots: [] };
    expect(await among()({ ...owner, credential: '01020304' })).toEqual(owner);
    expect(await among()(owner)).toEqual(owner);
  });

  test('does not resolve a removed client to a new one of the same name', async () => {
    const removed = { ...CLIENT, id: 'client_0' as const, expiresAt: 50 };
    expect(await among(removed, { ...CLIENT, principal: 'bob#2' })(BOB)).toBeUndefined();
  });
});

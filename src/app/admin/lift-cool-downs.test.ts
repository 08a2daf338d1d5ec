import { expect } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import type { Json } from '#core/json/json.ts';
import { verifies } from '../../../test/verifies.ts';
import { accountDigests } from '../manager/account-digests.ts';
import { liftParams, liftSaved } from './lift-cool-downs.ts';

const loaded = loadConfig({ env: { EXAI_HOME: '/nowhere', KIMI_API_KEY: 'sk-one' } });
const digests = accountDigests(loaded.config.providers);

function openFor(errorClass: string): Json {
  const trouble = { how: 'at_once', class: errorClass, calls: 1, failures: 1, classes: {} };
  return { is: 'open', leftMs: 60_000, coolOffMs: 60_000, trips: 2, trouble };
}

verifies('keys:lift', 'stored cool-downs end for the accounts that were tested', async () => {
  const states = new Map<string, Json>([
    ['kimi', digests.marked('kimi', openFor('billing'))],
    ['kimi/kimi-k3', digests.marked('kimi/kimi-k3', openFor('rate_limit'))],
    ['glm', digests.marked('glm', openFor('auth'))],
  ]);
  const store = {
    all: async () => [...states].map(([key, state]) => ({ key, state, updatedAt: 0 })),
    save: async (key: string, state: Json) => void states.set(key, state),
  };
  expect(await liftSaved(store, digests, ['kimi'])).toEqual(['kimi']);
  expect(states.get('kimi')).toEqual({
    is: 'closed',
    trips: 2,
    closedForMs: 0,
    account: digests.of('kimi'),
  });
  expect(states.get('glm')).toMatchObject({ is: 'open' });
  expect(states.get('kimi/kimi-k3')).toMatchObject({ is: 'open' });

  // The state of another key is not touched; the next start drops it.
  const other = loadConfig({ env: { EXAI_HOME: '/nowhere', GLM_API_KEY: 'other.key' } });
  expect(await liftSaved(store, accountDigests(other.config.providers), ['glm'])).toEqual([]);
});

verifies('keys:lift', 'the daemon is told the account by a digest, without the key', () => {
  expect(liftParams(loaded, ['kimi', 'logfire'])).toEqual([
    { provider: 'kimi', account: digests.of('kimi') },
  ]);
  expect(digests.of('kimi')).toMatch(/^[0-9a-f]{8}$/);
});

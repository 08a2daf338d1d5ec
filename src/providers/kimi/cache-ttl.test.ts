import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { asking, modelOf, useKimiWorld, withModels } from './kimi.fixture.ts';
import { body, K3 } from './write-request.fixture.ts';

const world = useKimiWorld();
const K31 = { ...modelOf('kimi-k3.1-pro'), cacheTtl: '1h' } as const;

verifies(
  'provider:facts',
  'kimi: an hour in the cache is asked for, and Kimi takes it',
  async () => {
    const { ask } = world.kimi({ catalogue: withModels(K31) });
    const outcome = await ask(asking('Say exactly: blue', { model: K31.id, cacheKey: 'thread-1' }));
    expect(outcome.is).toBe('answered');
    expect(world.bodies()).toMatchObject([
      { prompt_cache_key: 'thread-1', prompt_cache_options: { mode: 'implicit', ttl: '1h' } },
    ]);
  },
);

test('without the setting nothing is said about the cache', () => {
  expect(body({}, K3)).not.toHaveProperty('prompt_cache_options');
  expect(body({}, modelOf('kimi-k3.1-pro'))).not.toHaveProperty('prompt_cache_options');
});

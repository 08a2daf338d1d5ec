import { expect, test } from 'vitest';
import { Config } from '#config/schema/config.schema.ts';
import { verifies } from '../../../test/verifies.ts';
import { accountDigests } from './account-digests.ts';

const withKey = (apiKey: string) =>
  accountDigests(Config.parse({ providers: { glm: { apiKey } } }).providers);

verifies('breaker:restart', 'stored breakers of an account are dropped with its key', () => {
  const state = withKey('wrong').marked('glm', { is: 'open', trips: 1 });
  const saved = [
    { key: 'glm', state, updatedAt: 1 },
    {
      key: 'glm/glm-5.3',
      state: withKey('wrong').marked('glm/glm-5.3', { is: 'open' }),
      updatedAt: 1,
    },
    { key: 'somebody', state: { is: 'open' }, updatedAt: 1 },
  ];
  expect(withKey('wrong').known(saved)).toEqual(saved);
  expect(
    withKey('right')
      .known(saved)
      .map(({ key }) => key),
  ).toEqual(['somebody']);
});

test('a digest does not reveal its key', () => {
  const marked = JSON.stringify(withKey('sk-very-secret').marked('glm', { is: 'open' }));
  expect(marked).not.toContain('secret');
  expect(marked).toMatch(/"account":"[0-9a-f]{8}"/);
});

import { expect, test } from 'vitest';
import { loadConfig } from '#config/load.ts';
import { listedReasons } from '#models/allow.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { playedRoles } from './played-roles.ts';

function players(env: Record<string, string> = {}) {
  const { models } = loadConfig({ env: { EXAI_HOME: '/nowhere', ...env } }).config;
  return playedRoles(createCatalogue(), models, listedReasons(models));
}

test('a role is played by the model of its setting', () => {
  const played = players({ KIMI_SPEED_MODEL: 'kimi-k2.7-code' });
  expect(played.get('kimiSpeed')?.id).toBe('kimi-k2.7-code');
  expect(played.get('kimiQuality')?.id).toBe('kimi-k3');
});

test('a role falls to the first of its models that the lists let in, or to nobody', () => {
  expect(players({ KIMI_DENIED_MODELS: 'kimi-k3' }).get('kimiQuality')?.id).toBe('kimi-k2.6');
  const none = players({ KIMI_ALLOWED_MODELS: 'nothing-like-it' });
  expect(none.get('kimiQuality')).toBeUndefined();
  expect(none.get('glmQuality')?.id).toBe('glm-5.3');
});

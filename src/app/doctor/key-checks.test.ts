import { expect, test } from 'vitest';
import type { KeyInfo } from '#config/secrets/keys.ts';
import { notice } from '#core/messages/notices.ts';
import { toSent } from '#core/messages/render.ts';
import { verifies } from '../../../test/verifies.ts';
import type { KeyTest } from '../admin/test-keys.ts';
import { obstacleInDaemon, providerCheck } from './key-checks.ts';

const KEY: KeyInfo = {
  name: 'glm',
  env: 'GLM_API_KEY',
  title: 'GLM',
  set: true,
  used: true,
  origin: { kind: 'env', name: 'GLM_API_KEY' },
  where: 'https://z.ai',
};
const ACCEPTED: KeyTest = { name: 'glm', title: 'GLM', is: 'accepted', words: 'the key works' };
const NOTHING = { notices: [], change: undefined, waiting: undefined };

test('an accepted key that the daemon has is fine', () => {
  expect(obstacleInDaemon(KEY, NOTHING)).toBeUndefined();
  expect(providerCheck(KEY, ACCEPTED, undefined)).toEqual({
    id: 'key_glm',
    title: 'GLM',
    status: 'ok',
    detail: 'the key works; key from GLM_API_KEY',
  });
});

verifies('doctor:asks', 'what a provider refuses is a warning with what helps', () => {
  const refused = (errorClass: KeyTest['errorClass'], is: KeyTest['is'] = 'refused') =>
    providerCheck(
      KEY,
      { ...ACCEPTED, is, words: 'No.', ...(errorClass && { errorClass }) },
      undefined,
    );
  expect(refused('auth')).toMatchObject({ status: 'warn', fix: 'exai keys add glm' });
  expect(refused('billing').fix).toMatch(/^Top it up .*exai keys test glm$/);
  expect(refused('quota').fix).toMatch(/^Top it up .*exai keys test glm$/);
  expect(refused('network', 'unreachable')).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(/^No\. /) as string,
    fix: 'exai keys test glm',
  });
});

verifies('doctor:older-settings', 'a key that the running daemon lacks is no working key', () => {
  const stored = obstacleInDaemon(KEY, { ...NOTHING, change: { before: 'unset' } });
  expect(providerCheck(KEY, ACCEPTED, stored)).toMatchObject({
    status: 'warn',
    detail: expect.stringContaining('stored since the daemon started') as string,
    fix: 'exai config reload',
  });
  expect(providerCheck(KEY, ACCEPTED, stored)).not.toHaveProperty('answers');
  const replaced = obstacleInDaemon(KEY, { ...NOTHING, change: { before: 'set' } });
  expect(providerCheck(KEY, ACCEPTED, replaced)).toMatchObject({ status: 'warn', answers: 'yes' });
  const params = { variable: 'GLM_API_KEY', state: 'missing', command: 'x' } as const;
  const notices = [toSent(notice('setting_differs', params))];
  expect(obstacleInDaemon(KEY, { ...NOTHING, notices })?.fix).toBe('x');
});

verifies('keys:lift', 'a cool-down after a refusal is named with the command that ends it', () => {
  const waiting = (retryInMs: number) =>
    obstacleInDaemon(KEY, { ...NOTHING, waiting: { provider: 'glm', retryInMs } });
  expect(waiting(61_500)).toEqual({
    detail: '; the daemon does not use it for another 62 s because it was refused before',
    fix: 'exai keys test glm',
  });
  // The next request tries it.
  expect(waiting(0)).toMatchObject({ answers: 'yes' });
});

test('without an answer a set key counts, and an unset one is off', () => {
  expect(providerCheck(KEY, undefined, undefined)).toMatchObject({ status: 'ok' });
  expect(providerCheck({ ...KEY, set: false }, undefined, undefined)).toMatchObject({
    status: 'off',
    fix: 'exai keys add glm',
  });
});

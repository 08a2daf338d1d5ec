import { describe, expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { verifies } from '../../test/verifies.ts';
import { permitted } from './allow.ts';
import { createCatalogue } from './catalogue.ts';
import { createNameMatcher } from './name-pattern.ts';

const { models } = createCatalogue();
const ids = (provider: string, lists: Parameters<typeof permitted>[1]) =>
  permitted(models, lists)
    .models.filter((model) => model.provider === provider && model.state === 'live')
    .map(({ id }) => id);

describe('lists of models', () => {
  test('that are absent or empty refuse nothing', () => {
    expect(permitted(models, {})).toEqual({ models, refused: [], notices: [] });
    expect(permitted(models, { allow: { kimi: [] }, deny: { glm: [' '] } }).refused).toEqual([]);
  });

  verifies('models:lists', 'allow by name, alias and pattern, whatever the case', () => {
    const kimi = ids('kimi', { allow: { kimi: ['K3', 'KIMI-K2.7*'] } });
    expect(kimi).toEqual(['kimi-k3', 'kimi-k2.7-code', 'kimi-k2.7-code-highspeed']);
  });

  verifies('models:lists', 'deny more strongly than they allow, and say why', () => {
    const lists = { allow: { glm: ['glm-4.7*'] }, deny: { glm: ['*-flashx'] } };
    const { refused } = permitted(models, lists);
    expect(ids('glm', lists)).toEqual(['glm-4.7', 'glm-4.7-flash']);
    expect(refused).toContainEqual({
      provider: 'glm',
      id: 'glm-4.7-flashx',
      reason: reason('model_denied', { setting: 'models.deny.glm', pattern: '*-flashx' }),
    });
    expect(refused).toContainEqual({
      provider: 'glm',
      id: 'glm-5.3',
      reason: reason('model_not_allowed', { setting: 'models.allow.glm' }),
    });
    expect(refused.every(({ provider }) => provider === 'glm')).toBe(true);
  });

  test('that name a retired model do not let in its successor', () => {
    const { notices } = permitted(models, { allow: { kimi: ['kimi-latest'] } });
    expect(notices).toEqual([
      notice('provider_models_excluded', { provider: 'kimi', settings: ['models.allow.kimi'] }),
    ]);
  });

  verifies('models:lists', 'that leave none are an error that names the settings', () => {
    const lists = { allow: { kimi: ['nothing'] }, deny: { glm: ['*'] } };
    let thrown: unknown;
    try {
      permitted(models, lists);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(CallError);
    expect(thrown).toMatchObject({
      class: 'not_configured',
      field: 'models.allow.kimi, models.deny.glm',
      message:
        'models.allow.kimi excludes every model of kimi. models.deny.glm excludes every model of glm.',
    });
  });

  test('over no models at all are obeyed', () => {
    expect(permitted([], { deny: { kimi: ['*'] } }).models).toEqual([]);
  });
});

test('a pattern costs no more than its length times the name’s', () => {
  const matcher = createNameMatcher(['*a'.repeat(2_000)]);
  expect(matcher('a'.repeat(1_999))).toBeUndefined();
  expect(matcher('a'.repeat(100_000))).toBeDefined();
  expect(matcher('b'.repeat(100_000))).toBeUndefined();
});

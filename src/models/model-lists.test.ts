import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { verifies } from '../../test/verifies.ts';
import { filterPermitted } from './model-lists.ts';
import { createCatalogue } from './catalogue.ts';
import { createNameMatcher } from './model-name.ts';

const { models } = createCatalogue();
const ids = (provider: string, lists: Parameters<typeof filterPermitted>[1]) =>
  filterPermitted(models, lists)
    .models.filter((model) => model.provider === provider && model.state === 'live')
    .map(({ id }) => id);

describe('lists of models', () => {
  test('that are absent or empty refuse nothing', () => {
    expect(filterPermitted(models, {})).toEqual({ models, refused: [], notices: [] });
    expect(filterPermitted(models, { allow: { kimi: [] }, deny: { glm: [' '] } }).refused).toEqual(
      [],
    );
  });

  verifies('models:lists', 'allow by name, alias and pattern, whatever the case', () => {
    const kimi = ids('kimi', { allow: { kimi: ['K3', 'KIMI-K2.7*'] } });
    expect(kimi).toEqual(['kimi-k3', 'kimi-k2.7-code', 'kimi-k2.7-code-highspeed']);
  });

  verifies('models:lists', 'deny more strongly than they allow, and say why', () => {
    const lists = { allow: { glm: ['glm-4.7*'] }, deny: { glm: ['*-flashx'] } };
    const { refused } = filterPermitted(models, lists);
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
    const { notices } = filterPermitted(models, { allow: { kimi: ['kimi-latest'] } });
    expect(notices).toEqual([
      notice('provider_models_excluded', { provider: 'kimi', settings: ['models.allow.kimi'] }),
    ]);
  });

  verifies('models:lists', 'that leave none are an error that names the settings', () => {
    const lists = { allow: { kimi: ['nothing'] }, deny: { glm: ['*'] } };
    let thrown: unknown;
    try {
      filterPermitted(models, lists);
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
    expect(filterPermitted([], { deny: { kimi: ['*'] } }).models).toEqual([]);
  });
});

test('a pattern costs no more than its length times the name’s', () => {
  const matcher = createNameMatcher(['*a'.repeat(2_000)]);
  expect(matcher('a'.repeat(1_999))).toBeUndefined();
  expect(matcher('a'.repeat(100_000))).toBeDefined();
  expect(matcher('b'.repeat(100_000))).toBeUndefined();
});

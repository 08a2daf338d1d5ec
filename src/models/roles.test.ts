import { describe, expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { createCatalogue } from './catalogue.ts';
import { mergeListing } from './merge-listing.ts';
import { DEFAULT_ROLES, resolveRole, ROLE_NAMES, withRoleModels } from './roles.ts';

const catalogue = createCatalogue();
const ids = (models: readonly { readonly id: string }[]) => models.map(({ id }) => id);

describe('a role', () => {
  test('has by default models that are live, without any notice', () => {
    for (const name of ROLE_NAMES) {
      const { models, notices } = resolveRole(catalogue, DEFAULT_ROLES, name);
      expect(ids(models)).toEqual(DEFAULT_ROLES[name].models);
      expect(notices).toEqual([]);
    }
  });

  test('for pictures sees, and others that answer quickly do not think', () => {
    for (const { input } of resolveRole(catalogue, DEFAULT_ROLES, 'vision').models) {
      expect(input).toContain('image');
    }
    expect(resolveRole(catalogue, DEFAULT_ROLES, 'kimiSpeed').thinking).toEqual({ mode: 'off' });
    expect(resolveRole(catalogue, DEFAULT_ROLES, 'kimiDefault')).not.toHaveProperty('thinking');
  });

  test('has the model of the user first, then its defaults', () => {
    const roles = withRoleModels({ kimiSpeed: 'kimi-k2.7-code', glmSpeed: 'glm-5.3-flash' });
    expect(ids(resolveRole(catalogue, roles, 'kimiSpeed').models)).toEqual([
      'kimi-k2.7-code',
      'kimi-k2.6',
      'kimi-k3',
    ]);
    expect(ids(resolveRole(catalogue, roles, 'manager').models)[0]).toBe('glm-5.3-flash');
    expect(withRoleModels({ vision: ' ', glmQuality: undefined })).toEqual(DEFAULT_ROLES);
  });

  test('reports a retired or an unknown name, and skips it', () => {
    const roles = withRoleModels({ kimiQuality: 'kimi-thinking-preview', glmQuality: 'glm-5.33' });
    expect(resolveRole(catalogue, roles, 'kimiQuality')).toMatchObject({
      models: [{ id: 'kimi-k3' }, { id: 'kimi-k2.6' }],
      notices: [
        notice('model_retired', {
          model: 'kimi-thinking-preview',
          successor: 'kimi-k3',
          until: '2025-11-11',
        }),
      ],
    });
    expect(resolveRole(catalogue, roles, 'glmQuality').notices).toEqual([
      notice('role_model_unknown', {
        setting: 'models.glmQuality',
        name: 'glm-5.33',
        nearest: 'glm-5.3',
      }),
    ]);
  });

  test('keeps its order whatever its provider lists', () => {
    const listed = catalogue.models
      .filter(({ provider, id }) => provider === 'kimi' && id !== 'kimi-k2.6')
      .map(({ id }) => ({ id }));
    const { overlay } = mergeListing(catalogue, 'kimi', listed, '2026-11-15');
    const { models } = resolveRole(createCatalogue(overlay), DEFAULT_ROLES, 'kimiSpeed');
    expect(ids(models)).toEqual(['kimi-k2.6', 'kimi-k3']);
  });

  test('without a known model is an error that names the setting', () => {
    const roles = { ...DEFAULT_ROLES, glmSpeed: { models: ['no such model'] } };
    let thrown: unknown;
    try {
      resolveRole(catalogue, roles, 'glmSpeed');
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ class: 'not_configured', field: 'models.glmSpeed' });
  });
});

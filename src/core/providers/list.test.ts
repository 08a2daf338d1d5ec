import { expect, test } from 'vitest';
import { CONFIGURED_PROVIDERS, descriptorOf, findProvider, PROVIDERS } from './list.ts';

test('every id is a plain word, and listed once', () => {
  const ids = PROVIDERS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][a-z0-9]*$/);
});

test('a provider that needs something has the settings to give it', () => {
  for (const { needs, settings } of PROVIDERS) {
    expect(settings !== undefined).toBe(needs !== 'nothing');
  }
  for (const { settings } of PROVIDERS.filter(({ needs }) => needs === 'key')) {
    expect(settings?.address.default).toMatch(/^https:\/\//);
  }
  expect(CONFIGURED_PROVIDERS).toHaveLength(PROVIDERS.filter((each) => each.settings).length);
});

test('no environment variable and no role belongs to two providers', () => {
  const variables = CONFIGURED_PROVIDERS.flatMap(({ settings: { key, address } }) => [
    ...key.env,
    ...address.env,
  ]);
  expect(new Set(variables).size).toBe(variables.length);
  const roles = PROVIDERS.flatMap((each) => Object.keys(each.roles ?? {}));
  expect(new Set(roles).size).toBe(roles.length);
});

test('a provider is found by its id, and by no name that objects have anyway', () => {
  expect(descriptorOf('glm').title).toBe('GLM');
  expect(findProvider('kimi')?.needs).toBe('key');
  expect(findProvider('toString')).toBeUndefined();
});

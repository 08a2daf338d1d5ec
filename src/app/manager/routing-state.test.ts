import { describe, expect, test } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { Model } from '#models/model.ts';
import type { Overlay } from '#models/overlay.ts';
import { EXTRACTIVE_MODEL } from '#providers/extractive/extractive-model.ts';
import { createRoutingState } from './routing-state.ts';

function stateOf(overlay: Overlay = []) {
  const { config } = loadConfig({ env: { EXAI_HOME: '/nowhere' } });
  const catalogue = createCatalogue(overlay);
  return createRoutingState({
    config,
    catalogue: () => catalogue,
    resolve: (name) => catalogue.resolve(name),
    obstacle: () => undefined,
    abilities: new Map(),
    extractiveModel: EXTRACTIVE_MODEL,
    breakers: { look: (target) => ({ key: target.provider, is: 'closed', calls: 0, failures: 0 }) },
    budgets: { left: () => undefined },
    correction: () => 1,
    latencies: { firstTokenMs: () => undefined },
  })('local');
}

const LISTED: Overlay = [{ provider: 'openrouter', id: 'z-ai/glm-5.3', seenOn: '2026-11-15' }];

describe('the equivalent of a model at OpenRouter', () => {
  const find = (id: string) => createCatalogue().find(id) as Model;

  test('has the same name while there is no list', () => {
    expect(stateOf().openrouter(find('glm-4.7-flash'))?.id).toBe('z-ai/glm-4.7-flash');
  });

  test('is none that the list of OpenRouter lacks', () => {
    const state = stateOf(LISTED);
    expect(state.openrouter(find('glm-5.3'))?.id).toBe('z-ai/glm-5.3');
    expect(state.openrouter(find('glm-4.7-flash'))).toBeUndefined();
  });
});

describe('openrouter/vendor/model', () => {
  test.each([
    ['openrouter/z-ai/glm-5.3', 'z-ai/glm-5.3'],
    ['openrouter/moonshotai/kimi-k3:nitro', 'moonshotai/kimi-k3:nitro'],
    ['OpenRouter/~z-ai/glm-latest', '~z-ai/glm-latest'],
    ['openrouter/auto', 'openrouter/auto'],
  ])('%s is %s of OpenRouter', (name, id) => {
    expect(stateOf(LISTED).resolve(name)).toMatchObject({
      is: 'found',
      model: { id, provider: 'openrouter' },
    });
  });
});

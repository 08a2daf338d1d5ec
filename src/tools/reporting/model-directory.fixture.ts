import { createCatalogue } from '#models/catalogue.ts';
import { reason } from '#core/messages/reasons.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import type { Model } from '#models/model.ts';

const REFRESHED_AT_MS = Date.parse('2026-01-31T12:00:00.000Z');

/** Two providers, one without a key, and three models, one of them retired. */
export function createTestDirectory(): ModelDirectory {
  const catalogue = createCatalogue();
  const model = (name: string): Model => {
    const found = catalogue.resolve(name);
    if (found.is !== 'found') throw new Error(`no model ${name}`);
    return found.model;
  };
  const retired: Model = {
    ...model('kimi-k3'),
    id: 'kimi-old',
    state: 'retired',
    until: '2026-01-28',
    successor: 'kimi-k3',
  };
  const fix = 'exai keys add glm';
  return {
    providers: () => [
      {
        id: 'kimi',
        title: 'Kimi',
        configured: true,
        host: 'api.moonshot.ai',
        can: ['upload', 'web_search'],
        maxCalls: 6,
      },
      { id: 'glm', title: 'GLM', configured: false, host: 'api.z.ai', can: ['search'], fix },
    ],
    models: () => [
      { model: model('kimi-k3'), isUsable: true, roles: ['kimiQuality'] },
      {
        model: model('glm-4.7-flash'),
        isUsable: false,
        obstacle: 'not_set_up',
        reason: reason('no_key', { provider: 'glm' }),
        roles: [],
      },
      {
        model: retired,
        isUsable: false,
        obstacle: 'switched_off',
        reason: reason('model_switched_off'),
        roles: [],
      },
    ],
    resolve: (name) => catalogue.resolve(name),
    refreshedAtMs: () => REFRESHED_AT_MS,
    refresh: async () => [],
  };
}

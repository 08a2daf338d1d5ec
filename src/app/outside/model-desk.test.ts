import { expect, test } from 'vitest';
import { loadConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import { failing } from '#core/failing.ts';
import type { Provider, ProviderId, ProviderModel } from '#core/provider.ts';
import { reason } from '#core/messages/reasons.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { Overlay } from '#models/overlay.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createModelDesk } from './model-desk.ts';

type Listed = readonly ProviderModel[] | CallError;

function provider(id: ProviderId, listed: Listed | undefined): Provider {
  return {
    id,
    title: id,
    can: [],
    chat: () => failing(new CallError('internal', 'never asked')),
    check: async () => '',
    ...(listed && {
      async models() {
        if (listed instanceof CallError) throw listed;
        return listed;
      },
    }),
  };
}

function deskOf(
  env: Record<string, string> = {},
  lists: Partial<Record<ProviderId, Listed>> = {},
  customUrl = '',
) {
  const { config } = loadConfig({ env: { EXAI_HOME: '/nowhere', ...env } });
  const ids: readonly ProviderId[] = ['kimi', 'glm', 'custom', 'openrouter', 'local'];
  const providers = new Map(ids.map((id) => [id, provider(id, lists[id])]));
  let catalogue = createCatalogue();
  const held = {
    catalogue: () => catalogue,
    refreshedAtMs: () => undefined,
    keep: async (overlay: Overlay) => void (catalogue = createCatalogue(overlay)),
  };
  const clock = createFakeClock();
  const desk = createModelDesk({ config, providers, held, clock, customUrl });
  const refresh = () =>
    desk.refresh({ signal: new AbortController().signal, deadline: { at: Infinity } });
  const standing = (id: string) => desk.models().find(({ model }) => model.id === id);
  return { desk, refresh, standing };
}

test('a server that was found on this machine stands with its host', () => {
  const { desk } = deskOf({ CUSTOM_DISCOVER: 'true' }, {}, 'http://127.0.0.1:11434/v1');
  expect(desk.providers().find(({ id }) => id === 'custom')).toMatchObject({
    configured: true,
    host: '127.0.0.1:11434',
  });
});

test('the model of the settings and the one that Ollama lists by its full name are one', async () => {
  const lists = { custom: [{ id: 'llama3.2:latest' }] };
  const { desk, refresh } = deskOf({ CUSTOM_MODEL: 'llama3.2' }, lists, 'http://127.0.0.1:1');
  const own = () =>
    desk.models().flatMap(({ model }) => (model.provider === 'custom' ? model.id : []));
  expect(own()).toEqual(['llama3.2']);
  expect(desk.resolve('llama3.2')).toMatchObject({ is: 'found', model: { id: 'llama3.2' } });
  await refresh();
  expect(own()).toEqual(['llama3.2:latest']);
  expect(desk.resolve('llama3.2')).toMatchObject({ model: { id: 'llama3.2:latest' } });
  expect(desk.resolve('local-extract')).toMatchObject({ model: { provider: 'local' } });
});

test('what stands in the way of a model is told, and a missing one is no obstacle', async () => {
  const env = { KIMI_API_KEY: 'sk-one', KIMI_DENIED_MODELS: 'kimi-k3' };
  const { standing, refresh } = deskOf(env, { kimi: [{ id: 'kimi-k3' }] });
  expect(standing('glm-5.3')).toMatchObject({
    obstacle: 'not_set_up',
    reason: reason('no_key', { provider: 'glm' }),
  });
  expect(standing('kimi-k3')).toMatchObject({ obstacle: 'lists', roles: [] });
  expect(standing('kimi-k2.6')?.roles).toEqual(['kimiSpeed', 'kimiQuality', 'kimiDefault']);
  await refresh();
  const missing = standing('kimi-k2.6');
  expect(missing).toMatchObject({
    usable: 'yes',
    reason: reason('model_unlisted', { since: missing?.unlistedSince ?? '' }),
  });
  expect(missing?.roles).toEqual(['kimiSpeed', 'kimiQuality', 'kimiDefault']);
});

test('a refresh says of whom it did not ask how to set it up, and of a failure what to mend', async () => {
  const env = { KIMI_API_KEY: 'sk-one', KIMI_API_URL: 'http://127.0.0.1:1/v1' };
  const kimi = new CallError('network', '127.0.0.1:1 refused the connection.');
  const outcomes = await deskOf(env, { kimi }).refresh();
  expect(outcomes.slice(0, 2)).toEqual([
    {
      provider: 'kimi',
      is: 'failed',
      changes: [],
      because: '127.0.0.1:1 refused the connection.',
      fix: 'KIMI_API_URL is http://127.0.0.1:1/v1; unset it for https://api.moonshot.ai/v1',
      errorClass: 'network',
    },
    {
      provider: 'glm',
      is: 'skipped',
      changes: [],
      because: 'not set up',
      fix: 'exai keys add glm',
    },
  ]);
});

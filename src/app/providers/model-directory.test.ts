import { describe, expect, test } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import { rejectingIterator } from '#core/async-iterators.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Provider, ProviderId, ProviderModel } from '#core/llm/provider.ts';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { listedReasons } from '#models/model-lists.ts';
import type { Overlay } from '#models/overlay.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createModelDirectory, rolesOfModels } from './model-directory.ts';

describe('model directory', () => {
  type Listed = readonly ProviderModel[] | CallError;

  function provider(id: ProviderId, listed: Listed | undefined): Provider {
    return {
      id,
      title: id,
      capabilities: [],
      chat: () => rejectingIterator(new CallError('internal', 'never asked')),
      check: async () => '',
      ...(listed && {
        async models() {
          if (listed instanceof CallError) throw listed;
          return listed;
        },
      }),
    };
  }

  function directoryOf(
    env: Record<string, string> = {},
    lists: Partial<Record<ProviderId, Listed>> = {},
    customUrl = '',
  ) {
    const { config } = loadConfig({ env: { EXAI_HOME: '/nowhere', ...env } });
    const ids: readonly ProviderId[] = ['kimi', 'glm', 'custom', 'openrouter', 'extractive'];
    const providers = new Map(ids.map((id) => [id, provider(id, lists[id])]));
    let catalogue = createCatalogue();
    const held = {
      catalogue: () => catalogue,
      refreshedAtMs: () => undefined,
      keep: async (overlay: Overlay) => void (catalogue = createCatalogue(overlay)),
    };
    const clock = createFakeClock();
    const directory = createModelDirectory({ config, providers, held, clock, customUrl });
    const refresh = () =>
      directory.refresh({ signal: new AbortController().signal, deadline: { at: Infinity } });
    const statusOf = (id: string) => directory.models().find(({ model }) => model.id === id);
    return { directory, refresh, statusOf };
  }

  test('a server discovered on this machine is listed with its host', () => {
    const { directory } = directoryOf({ CUSTOM_DISCOVER: 'true' }, {}, 'http://127.0.0.1:11434/v1');
    expect(directory.providers().find(({ id }) => id === 'custom')).toMatchObject({
      configured: true,
      host: '127.0.0.1:11434',
    });
  });

  const OPENROUTER = { openrouter: [{ id: 'moonshotai/kimi-k3' }, { id: 'z-ai/glm-5.3' }] };

  test('a refresh of OpenRouter does not move a model away from a vendor that is set up', async () => {
    const env = { KIMI_API_KEY: 'sk-kimi-0123456789', OPENROUTER_API_KEY: 'sk-or-0123456789' };
    const { directory, refresh } = directoryOf(env, OPENROUTER);
    const kept = { is: 'found', model: { id: 'kimi-k3', provider: 'kimi' } };
    expect(directory.resolve('moonshotai/kimi-k3')).toMatchObject(kept);
    await refresh();
    expect(directory.resolve('moonshotai/kimi-k3')).toMatchObject({
      ...kept,
      notice: notice('model_kept_at_vendor', {
        name: 'moonshotai/kimi-k3',
        model: 'kimi-k3',
        provider: 'kimi',
      }),
    });
    const routed = directory.resolve('openrouter/moonshotai/kimi-k3');
    expect(routed).toMatchObject({ model: { id: 'moonshotai/kimi-k3', provider: 'openrouter' } });
    expect(routed).not.toHaveProperty('notice');
    // GLM has no key.
    expect(directory.resolve('z-ai/glm-5.3')).toMatchObject({ model: { provider: 'openrouter' } });
  });

  test('without the key of the vendor OpenRouter answers, listed or not', () => {
    const { directory } = directoryOf({ OPENROUTER_API_KEY: 'sk-or-0123456789' });
    expect(directory.resolve('moonshotai/kimi-k3')).toMatchObject({
      model: { id: 'moonshotai/kimi-k3', provider: 'openrouter' },
      isOnTrust: true,
    });
    expect(directory.resolve('kimi-k3')).toMatchObject({ model: { provider: 'kimi' } });
  });

  test('the model of the settings and the one that Ollama lists by its full name are one', async () => {
    const lists = { custom: [{ id: 'llama3.2:latest' }] };
    const { directory, refresh } = directoryOf(
      { CUSTOM_MODEL: 'llama3.2' },
      lists,
      'http://127.0.0.1:1',
    );
    const own = () =>
      directory.models().flatMap(({ model }) => (model.provider === 'custom' ? model.id : []));
    expect(own()).toEqual(['llama3.2']);
    expect(directory.resolve('llama3.2')).toMatchObject({ is: 'found', model: { id: 'llama3.2' } });
    await refresh();
    expect(own()).toEqual(['llama3.2:latest']);
    expect(directory.resolve('llama3.2')).toMatchObject({ model: { id: 'llama3.2:latest' } });
    expect(directory.resolve('local-extract')).toMatchObject({ model: { provider: 'extractive' } });
  });

  test('the obstacle of a model is reported, and an unlisted model has none', async () => {
    const env = { KIMI_API_KEY: 'sk-one', KIMI_DENIED_MODELS: 'kimi-k3' };
    const { statusOf, refresh } = directoryOf(env, { kimi: [{ id: 'kimi-k3' }] });
    expect(statusOf('glm-5.3')).toMatchObject({
      obstacle: 'not_set_up',
      reason: reason('no_key', { provider: 'glm' }),
    });
    expect(statusOf('kimi-k3')).toMatchObject({ obstacle: 'lists', roles: [] });
    expect(statusOf('kimi-k2.6')?.roles).toEqual(['kimiSpeed', 'kimiQuality', 'kimiDefault']);
    await refresh();
    const missing = statusOf('kimi-k2.6');
    expect(missing).toMatchObject({
      isUsable: true,
      reason: reason('model_unlisted', { since: missing?.unlistedSince ?? '' }),
    });
    expect(missing?.roles).toEqual(['kimiSpeed', 'kimiQuality', 'kimiDefault']);
  });

  test('a model of which only the name is known says so', () => {
    const { statusOf } = directoryOf({ GLM_API_KEY: 'id.secret' }, {});
    expect(statusOf('glm-5.3-prime')).toMatchObject({
      isUsable: true,
      reason: reason('model_assumed'),
    });
    expect(statusOf('glm-5.2-highspeed')).not.toHaveProperty('reason');
  });

  test('a refresh reports how to configure skipped providers, and the fix of each failure', async () => {
    const env = { KIMI_API_KEY: 'sk-one', KIMI_API_URL: 'http://127.0.0.1:1/v1' };
    const kimi = new CallError('network', '127.0.0.1:1 refused the connection.');
    const outcomes = await directoryOf(env, { kimi }).refresh();
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
});

describe('roles of models', () => {
  function players(env: Record<string, string> = {}) {
    const { models } = loadConfig({ env: { EXAI_HOME: '/nowhere', ...env } }).config;
    return rolesOfModels(createCatalogue(), models, listedReasons(models));
  }

  test('a role has the model of its setting', () => {
    const played = players({ KIMI_SPEED_MODEL: 'kimi-k2.7-code' });
    expect(played.get('kimiSpeed')?.id).toBe('kimi-k2.7-code');
    expect(played.get('kimiQuality')?.id).toBe('kimi-k3');
  });

  test('a role has the first of its models that the lists allow, or none', () => {
    expect(players({ KIMI_DENIED_MODELS: 'kimi-k3' }).get('kimiQuality')?.id).toBe('kimi-k2.6');
    const none = players({ KIMI_ALLOWED_MODELS: 'nothing-like-it' });
    expect(none.get('kimiQuality')).toBeUndefined();
    expect(none.get('glmQuality')?.id).toBe('glm-5.3');
  });
});

import { describe, expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { asking, completion, realDeps, scriptedHttp, user } from '../custom/custom.fixture.ts';
import { createOpenRouter } from './openrouter.ts';

const KEY = 'sk-or-0123456789';

describe('OpenRouter', () => {
  function scripted(script: Parameters<typeof scriptedHttp>[0]) {
    const clock = createFakeClock();
    const { http, requests } = scriptedHttp(script);
    const settings = { baseUrl: 'https://or.test/api/v1', key: createSecret(KEY) };
    const provider = createOpenRouter(settings, { ...realDeps(clock), http });
    return { ...asking(provider, clock, 'a/b'), requests };
  }

  test('reports which options it could not pass on', async () => {
    const { ask, requests } = scripted(() => completion({ content: 'News.' }));
    const { answer } = await ask({
      messages: [user('News?')],
      delivery: 'whole',
      webSearch: { count: 50, maxRounds: 3, maxTokens: 900 },
      thinking: { mode: 'on', keep: 'all' },
    });
    expect(answer.notices).toEqual([
      notice('reasoning_not_kept', { model: 'OpenRouter' }),
      notice('parameter_clamped', {
        model: 'OpenRouter',
        parameter: 'webSearch.count',
        min: 1,
        max: 10,
        sent: 10,
      }),
      notice('parameter_dropped', {
        model: 'OpenRouter',
        parameters: ['webSearch.maxRounds', 'webSearch.maxTokens'],
        reason: 'own_search',
      }),
    ]);
    expect(requests).toHaveLength(1);
  });

  test.each([
    [0, 'accepted, but $0.00 is left on this key: raise its limit at https://openrouter.ai/keys'],
    [-2, 'accepted, but $-2.00 is left on this key: raise its limit at https://openrouter.ai/keys'],
    [3, '$3.00 left on this key'],
  ])('tells a key with %d left for what it is', async (remaining, expected) => {
    const { provider, context } = scripted(() => ({
      json: { data: { label: 'k', limit: 9, limit_remaining: remaining } },
    }));
    expect(await provider.check(context)).toBe(expected);
  });

  test('does not fall back to models that the lists do not let in', async () => {
    const clock = createFakeClock();
    const { http, requests } = scriptedHttp(() => completion({ content: 'Hi.' }));
    const provider = createOpenRouter(
      {
        baseUrl: 'https://or.test/api/v1',
        key: createSecret(KEY),
        fallbackModels: ['c/d:free', 'e/f'],
      },
      {
        ...realDeps(clock),
        http,
        forbids: ({ aliases }) =>
          aliases.includes('c/d') ? reason('text', { text: 'a list' }) : undefined,
      },
    );
    const { answer } = await asking(provider, clock, 'a/b').ask('Hi');
    expect(JSON.parse(requests[0]?.body as string)).toMatchObject({ models: ['e/f'] });
    expect(answer.notices).toEqual([notice('fallback_models_dropped', {})]);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { realClock } from '#net/net.fixture.ts';
import { createOpenRouter as emulated } from '../../../emulator/openrouter/openrouter.ts';
import { startEmulator, type Emulator } from '../../../emulator/start.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { asking, completion, realDeps, scriptedHttp, user } from '../custom/custom.fixture.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { createOpenRouter } from './openrouter.ts';

const key = createSecret('sk-or-0123456789');

let emulator: Emulator;
let deps: ProviderDeps;
beforeAll(async () => {
  emulator = await startEmulator({ vendors: [emulated()] });
  deps = realDeps(realClock);
});
afterEach(() => emulator.reset());
afterAll(async () => {
  await deps.http.close();
  await deps.publicHttp.close();
  await emulator.close();
});

function setUp(model = 'moonshotai/kimi-k2.6') {
  const provider = createOpenRouter({ baseUrl: `${emulator.url}/openrouter/api/v1`, key }, deps);
  return {
    ...asking(provider, deps.clock, model),
    bodies: () => emulator.requests().map(({ body }) => body as Record<string, unknown>),
  };
}

function scripted(script: Parameters<typeof scriptedHttp>[0]) {
  const clock = createFakeClock();
  const { http, requests } = scriptedHttp(script);
  const provider = createOpenRouter(
    { baseUrl: 'https://or.test/api/v1', key },
    { ...realDeps(clock), http },
  );
  return { ...asking(provider, clock, 'a/b'), requests, clock };
}

describe('OpenRouter and the rules of the vendors behind it', () => {
  test('a model whose reasoning is mandatory gets its lowest effort instead of none', async () => {
    const { provider, context, ask, bodies } = setUp('moonshotai/kimi-k3');
    await provider.models?.(context);
    const off = { messages: [user('Say exactly: ok')], thinking: { mode: 'off' } } as const;
    expect(await ask(off)).toMatchObject({
      is: 'answered',
      answer: {
        text: 'ok',
        notices: [notice('thinking_stays_on', { model: 'moonshotai/kimi-k3', effort: 'low' })],
      },
    });
    const medium = await ask({ ...off, thinking: { mode: 'on', effort: 'medium' } });
    expect(medium.answer.notices).toEqual([
      notice('effort_changed', { model: 'moonshotai/kimi-k3', effort: 'medium', sent: 'high' }),
    ]);
    const sent = bodies().flatMap((body) => body?.['reasoning'] ?? []);
    expect(sent).toEqual([{ effort: 'low' }, { effort: 'high' }]);
  });

  test('without a list, a refusal shows that reasoning is mandatory', async () => {
    const { ask, bodies } = setUp('moonshotai/kimi-k3');
    const off = { messages: [user('Say exactly: ok')], thinking: { mode: 'off' } } as const;
    expect(await ask(off)).toMatchObject({ is: 'answered', answer: { text: 'ok' } });
    expect(bodies().map(({ reasoning }) => reasoning)).toEqual([
      { effort: 'none' },
      { effort: 'low' },
    ]);
  });

  test("writes schemas by Moonshot's rules for models of Kimi only", async () => {
    const parameters = { properties: { city: { enum: ['Oslo', 1] } } };
    const tools = [{ name: 'get_weather', description: 'Weather', parameters }];
    const { ask, bodies } = setUp('moonshotai/kimi-k2.6');
    const weather = [user('What is the weather in "Oslo"?')];
    expect(await ask({ messages: weather, tools })).toMatchObject({ is: 'answered' });
    expect(await ask({ model: 'z-ai/glm-5.3', messages: weather, tools })).toMatchObject({
      is: 'answered',
    });
    type Sent = readonly [{ readonly function: { readonly parameters: object } }];
    const sent = bodies().map((body) => (body['tools'] as Sent)[0].function.parameters);
    expect(sent[0]).toMatchObject({ type: 'object', properties: { city: { anyOf: [{}, {}] } } });
    expect(sent[1]).toEqual(parameters);
  });

  test('shortens a long session id, so that different sessions stay different', async () => {
    const { ask, bodies } = setUp();
    for (const cacheKey of ['short', `${'x'.repeat(300)}1`, `${'x'.repeat(300)}2`])
      expect(await ask({ messages: [user('Hi')], cacheKey })).toMatchObject({ is: 'answered' });
    const ids = bodies().map((body) => String(body['session_id']));
    expect(ids[0]).toBe('short');
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id.length).toBeLessThanOrEqual(256);
  });

  test('asks again with the lowest effort when a model must think, and keeps other efforts', async () => {
    const { ask, requests, clock, provider, context } = scripted(({ url }, body) => {
      if (url.endsWith('/models')) return { json: { data: [{ id: 'c/d' }] } };
      return (body['reasoning'] as { effort?: string } | undefined)?.effort === 'none'
        ? {
            status: 400,
            json: {
              error: {
                code: 400,
                message: 'Reasoning is mandatory for this endpoint and cannot be disabled.',
              },
            },
          }
        : completion({ content: 'Hi.' });
    });
    const off = { messages: [user('Hi')], delivery: 'whole', thinking: { mode: 'off' } } as const;
    const efforts = () =>
      requests
        .filter(({ url }) => url.endsWith('/chat/completions'))
        .map(({ body }) => JSON.parse(body as string).reasoning?.effort);
    const stays = notice('thinking_stays_on', { model: 'OpenRouter', effort: 'low' });
    expect(await ask(off)).toMatchObject({ answer: { text: 'Hi.', notices: [stays] } });
    expect(await ask(off)).toMatchObject({ answer: { text: 'Hi.', notices: [stays] } });
    expect(efforts()).toEqual(['none', 'low', 'low']);
    const most = await ask({ ...off, thinking: { mode: 'on', effort: 'max' } });
    expect(most).toMatchObject({ answer: { notices: [] } });
    expect(efforts().at(-1)).toBe('max');
    await ask({ ...off, model: 'e/f' });
    expect(efforts().slice(-2)).toEqual(['none', 'low']);
    clock.advance(600_001);
    await ask(off);
    expect(efforts().slice(-2)).toEqual(['none', 'low']);
    await provider.models?.(context);
    await ask(off);
    expect(efforts().slice(-2)).toEqual(['none', 'low']);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ChatTool } from '#core/llm/chat.ts';
import { notice } from '#core/messages/notices.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { realClock } from '#net/net.fixture.ts';
import { createOpenRouter as emulated } from '../../../emulator/openrouter/openrouter.ts';
import { startEmulator, type Emulator } from '../../../emulator/start.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { asking, completion, realDeps, scriptedHttp, user } from '../custom/custom.fixture.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { createOpenRouter, type OpenRouterSettings } from './openrouter.ts';

const KEY = 'sk-or-0123456789';
const WEATHER: ChatTool = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

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

function setUp(more: Partial<OpenRouterSettings> = {}, model = 'moonshotai/kimi-k2.6') {
  const baseUrl = `${emulator.url}/openrouter/api/v1`;
  const provider = createOpenRouter({ baseUrl, key: createSecret(KEY), ...more }, deps);
  return {
    ...asking(provider, deps.clock, model),
    bodies: () => emulator.requests().map(({ body }) => body as Record<string, unknown>),
  };
}

describe('OpenRouter', () => {
  test.each(['stream', 'whole'] as const)(
    'answers past its keep-alive comments, with its cost and its id (%s)',
    async (delivery) => {
      emulator.switches['openrouter']!['keepAlives'] = 3;
      const { ask, exchanges } = setUp();
      const outcome = await ask({ messages: [user('Say exactly: blue ☃ 熊猫')], delivery });
      expect(outcome).toMatchObject({
        is: 'answered',
        finish: 'stop',
        answer: { model: 'moonshotai/kimi-k2.6', text: 'blue ☃ 熊猫', usage: { estimated: false } },
      });
      expect(outcome.answer.usage?.costMicroUsd).toBeGreaterThan(0);
      const [exchange] = exchanges;
      expect(exchange).toMatchObject({ provider: 'openrouter', outcome: 'ok' });
      expect(exchange?.vendorIds['x-generation-id']).toMatch(/^gen-/);
      expect(exchange?.vendorIds['id']).toBe(exchange?.vendorIds['x-generation-id']);
    },
  );

  test('gets the whole request in its words, with attribution and without data collection', async () => {
    const { ask, bodies } = setUp({
      referer: 'https://exai.test',
      fallbackModels: ['z-ai/glm-5.3'],
      routing: { order: ['together'] },
    });
    await ask({
      messages: [user('Hello')],
      tools: [WEATHER],
      toolChoice: 'none',
      thinking: { mode: 'on', effort: 'max' },
      sampling: { temperature: 0.5, topP: 0.9, seed: 7 },
      maxOutputTokens: 100,
      stop: ['END'],
      cacheKey: 'thread-1',
      userHash: 'u1',
      webSearch: { count: 50, domain: 'example.com' },
    });
    expect(bodies()[0]).toEqual({
      model: 'moonshotai/kimi-k2.6',
      models: ['z-ai/glm-5.3'],
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      tools: [{ type: 'function', function: WEATHER }],
      tool_choice: 'none',
      reasoning: { effort: 'max' },
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      max_tokens: 100,
      stop: ['END'],
      plugins: [{ id: 'web', max_results: 10, include_domains: ['example.com'] }],
      provider: { data_collection: 'deny', order: ['together'] },
      session_id: 'thread-1',
      user: 'u1',
    });
    expect(emulator.requests()[0]?.headers).toMatchObject({
      'http-referer': 'https://exai.test',
      'x-title': 'EX-AI',
    });
  });

  test('does not think when thinking is off', async () => {
    const { ask, bodies } = setUp();
    const { answer } = await ask({
      messages: [user('[[think 20]] Say exactly: done')],
      thinking: { mode: 'off' },
    });
    expect(answer).toMatchObject({ text: 'done', reasoning: '' });
    expect(bodies()[0]).toMatchObject({ reasoning: { effort: 'none' } });
  });

  test.each(['text', 'summary', 'encrypted'])(
    'gets its reasoning_details back unmodified on a tool turn (%s)',
    async (kind) => {
      emulator.switches['openrouter']!['reasoningDetails'] = kind;
      for (const delivery of ['stream', 'whole'] as const) {
        const { ask, bodies } = setUp();
        const question = user('[[think 12]] Use get_weather for the city "Oslo".');
        const first = await ask({ messages: [question], tools: [WEATHER], delivery });
        expect(first).toMatchObject({ is: 'answered', finish: 'tool_calls' });
        const { toolCalls, reasoning, reasoningDetails } = first.answer;
        expect(reasoningDetails.length).toBeGreaterThan(0);
        const second = await ask({
          messages: [
            question,
            { role: 'assistant', content: '', reasoning, reasoningDetails, toolCalls },
            { role: 'tool', toolCallId: toolCalls[0]?.id ?? '', content: 'Snow today.' },
          ],
          tools: [WEATHER],
          delivery,
        });
        expect(second.answer.text).toContain('Snow today.');
        const sent = bodies().at(-1)?.['messages'] as Record<string, unknown>[];
        expect(sent[1]).toMatchObject({ content: null, reasoning_details: reasoningDetails });
        expect(sent[1]).not.toHaveProperty('reasoning');
      }
    },
  );

  test.each([
    ['F1', 'rate_limit', 1_000],
    ['F2', 'billing', undefined],
    ['F2.budget', 'rate_limit', 1_000],
    ['F3', 'overloaded', 1_000],
    ['F3.overloaded', 'overloaded', undefined],
    ['F3.upstream', 'provider_error', undefined],
    ['F3.timeout', 'timeout', undefined],
    ['F4.504', 'timeout', undefined],
    ['F10', 'not_found', undefined],
    ['F11.moderation', 'content_filter', undefined],
    ['F11.content_filter', 'content_filter', undefined],
    ['F16', 'auth', undefined],
    ['F5.reset', 'network', undefined],
  ])('fails by %s as %s', async (id, errorClass, retryAfterMs) => {
    emulator.fault({ id, vendor: 'openrouter' });
    const outcome = await setUp().ask('Hello there, tell me something long enough.');
    expect(outcome).toMatchObject({
      is: 'failed',
      error: { class: errorClass, provider: 'openrouter', retryAfterMs },
    });
  });

  test.each(['stream', 'whole'] as const)(
    'fails with an error that comes inside an answer with 200 (%s)',
    async (delivery) => {
      emulator.fault({ id: 'F11.error', vendor: 'openrouter', after: 3 });
      const { ask, exchanges } = setUp();
      const outcome = await ask({ messages: [user('[[tokens 50]]')], delivery });
      expect(outcome).toMatchObject({ is: 'failed', error: { class: 'provider_error' } });
      expect(exchanges).toMatchObject([{ status: 200, outcome: 'provider_error' }]);
    },
  );

  test('keeps what came before the error', async () => {
    emulator.fault({ id: 'F11.error', vendor: 'openrouter', after: 30 });
    const { answer } = await setUp({}, 'meta-llama/llama-3.3-70b-instruct').ask('[[tokens 60]]');
    expect(answer.text).not.toBe('');
  });

  test.each([
    'F6.split',
    'F6.crlf',
    'F6.comments',
    'F6.bom',
    'F6.multiline',
    'F6.nonewline',
    'F6.nochoices',
    'F6.role',
    'F5.nodone',
  ])('says the same however its stream is written (%s)', async (id) => {
    emulator.fault({ id, vendor: 'openrouter' });
    expect(await setUp().ask('[[think 5]] Say exactly: blue ☃ 熊猫')).toMatchObject({
      is: 'answered',
      answer: { text: 'blue ☃ 熊猫' },
    });
  });

  test('falls back along the list of models, and the answer names its model', async () => {
    const { ask } = setUp({ fallbackModels: ['z-ai/glm-5.3'] }, 'emulated/down');
    expect(await ask('Say exactly: me')).toMatchObject({
      answer: { model: 'z-ai/glm-5.3', text: 'me' },
    });
  });

  test('reports the context window of a model whose window is too small', async () => {
    expect(await setUp({}, 'emulated/small').ask('word '.repeat(5_000))).toMatchObject({
      error: { class: 'context_length', contextTokens: 4_096 },
    });
  });

  test('reports that no endpoint serves a model with tools', async () => {
    const outcome = await setUp({}, 'emulated/small').ask({
      messages: [user('Hi')],
      tools: [WEATHER],
    });
    expect(outcome).toMatchObject({ error: { class: 'validation' } });
  });

  test('passes a JSON schema on and looks whether the answer fits (F21)', async () => {
    const { ask, bodies } = setUp();
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const responseFormat = { type: 'json_schema', name: 'sum', schema } as const;
    const good = await ask({ messages: [user('What is 2 + 3?')], responseFormat });
    expect(JSON.parse(good.answer.text)).toHaveProperty('n');
    expect(bodies()[0]).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'sum', schema } },
    });
    emulator.fault({ id: 'F21', vendor: 'openrouter', times: 0 });
    const bad = await ask({ messages: [user('What is 2 + 3?')], responseFormat });
    expect(bad).toMatchObject({
      is: 'failed',
      error: { class: 'bad_response' },
      answer: { text: '' },
    });
  });

  test('lists its models with exact prices, and knows them afterwards', async () => {
    const { provider, context, ask, bodies } = setUp({}, 'meta-llama/llama-3.3-70b-instruct');
    const models = await provider.models?.(context);
    expect(models).toContainEqual({
      id: 'moonshotai/kimi-k2.6',
      contextTokens: 262_144,
      maxOutputTokens: 262_144,
      images: true,
      video: false,
      tools: true,
      thinking: true,
      alwaysThinks: false,
      efforts: ['low', 'medium', 'high', 'max'],
      price: { input: 950_000, output: 4_000_000 },
    });
    const { answer } = await ask({
      messages: [user('Hi')],
      thinking: { mode: 'on' },
      maxOutputTokens: 99_999,
    });
    expect(answer.notices).toEqual([
      notice('thinking_unsupported', { model: 'meta-llama/llama-3.3-70b-instruct' }),
      notice('max_tokens_lowered', {
        model: 'meta-llama/llama-3.3-70b-instruct',
        limit: 16_384,
        requested: 99_999,
        reason: 'model',
      }),
    ]);
    expect(bodies().at(-1)).not.toHaveProperty('reasoning');
    const source = { base64: 'AAAA', mediaType: 'image/png' };
    expect(
      await ask({ messages: [{ role: 'user', content: [{ type: 'image', source }] }] }),
    ).toMatchObject({ error: { class: 'bad_request' } });
  });

  test('reports what is left on a key with a limit, and when it is unknown', async () => {
    const { provider, context } = setUp();
    expect(await provider.check(context)).toBe('a key without its own limit');
    await expect(provider.balance?.(context)).rejects.toMatchObject({ class: 'not_found' });
    emulator.switches['openrouter']!['limit'] = 5;
    expect(await provider.check(context)).toBe('$5.00 left on this key');
    expect(await provider.balance?.(context)).toEqual({ available: 5, currency: 'USD' });
  });

  test.each([
    ['sk-or-wrong-1234567', 'auth'],
    ['sk-or-poor-1234567', 'billing'],
  ])('refuses the key %s as %s, and no error has it', async (secret, errorClass) => {
    const outcome = await setUp({ key: createSecret(secret) }).ask('Hi');
    expect(outcome).toMatchObject({ error: { class: errorClass } });
    expect(JSON.stringify(outcome)).not.toContain(secret);
  });

  test('without a key says where to get one, before a byte is sent', async () => {
    const { ask, provider, context } = setUp({ key: createSecret('') });
    const expected = {
      class: 'not_configured',
      fix: expect.stringContaining('OPENROUTER_API_KEY'),
    };
    expect(await ask('Hi')).toMatchObject({ error: expected });
    await expect(provider.check(context)).rejects.toMatchObject(expected);
    expect(emulator.requests()).toHaveLength(0);
  });

  test.each(['kimi-k2.6', 'glm-4.6', '', 'a/b/c d', '__proto__', `x/${'y'.repeat(500)}`])(
    'does not know a model by the name %j',
    async (model) => {
      const { ask } = setUp();
      expect(await ask({ model, messages: [user('Hi')] })).toMatchObject({
        error: { class: 'not_found', field: 'model', fix: expect.stringContaining('vendor/model') },
      });
      expect(emulator.requests()).toHaveLength(0);
    },
  );

  test.each([
    'z-ai/glm-4.5-air:free',
    '~z-ai/glm-latest',
    'openrouter/auto',
    'openrouter/z-ai/glm-5.3',
  ])('knows the form %s', async (model) => {
    expect(await setUp({}, model).ask('Say exactly: ok')).toMatchObject({ answer: { text: 'ok' } });
  });

  test('ends with the caller', async () => {
    emulator.fault({ id: 'F5.stall', vendor: 'openrouter', after: 5 });
    const { ask, controller, exchanges } = setUp();
    const asked = ask('[[tokens 50]]');
    await expect.poll(() => emulator.requests().length).toBe(1);
    controller.abort(new DOMException('enough', 'AbortError'));
    expect(await asked).toMatchObject({ error: { class: 'cancelled' } });
    expect(exchanges).toMatchObject([{ outcome: 'cancelled' }]);
  });
});

describe('OpenRouter, by script', () => {
  function scripted(script: Parameters<typeof scriptedHttp>[0]) {
    const clock = createFakeClock();
    const { http, requests } = scriptedHttp(script);
    const settings = { baseUrl: 'https://or.test/api/v1', key: createSecret(KEY) };
    const provider = createOpenRouter(settings, { ...realDeps(clock), http });
    return { ...asking(provider, clock, 'a/b'), requests };
  }

  test('gives the sources of a search as citations, each once', async () => {
    const annotation = (url: string) => ({
      type: 'url_citation',
      url_citation: { url, title: 'A page', content: 'words', start_index: 0, end_index: 4 },
    });
    const annotations = [
      annotation('https://a.test/'),
      annotation('https://a.test/'),
      annotation('javascript:1'),
    ];
    const { ask, requests } = scripted(() => completion({ content: 'News.', annotations }));
    const { answer } = await ask({
      messages: [user('News?')],
      delivery: 'whole',
      webSearch: { query: 'x', recency: 'day', domain: 'a.test' },
    });
    expect(JSON.parse(requests[0]?.body as string)).toMatchObject({
      plugins: [{ id: 'web', include_domains: ['a.test'] }],
    });
    expect(answer.citations).toEqual([{ title: 'A page', url: 'https://a.test/', text: 'words' }]);
    expect(answer.notices).toEqual([
      notice('parameter_dropped', {
        model: 'OpenRouter',
        parameters: ['webSearch.query', 'webSearch.recency'],
        reason: 'own_search',
      }),
    ]);
  });

  test('checks a key with a tiny chat where there is no /key', async () => {
    const { provider, context, requests } = scripted(({ url }) =>
      url.endsWith('/key')
        ? { status: 404, text: 'Not Found', type: 'text/plain' }
        : completion({ content: '' }),
    );
    expect(await provider.check(context)).toBe('the key works');
    expect(JSON.parse(requests[1]?.body as string)).toMatchObject({ max_tokens: 1 });
  });
});

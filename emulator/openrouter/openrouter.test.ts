import { describe, expect, test } from 'vitest';
import { eventsOf, joined, png, user, WEATHER_TOOL, type Answered } from '../client.fixture.ts';
import { BASE, useOpenRouter } from './openrouter.fixture.ts';

const { chat, router, set } = useOpenRouter();

describe('a whole answer', () => {
  test('names its provider, its own finish reason, its cost and its generation [facts:openrouter:response]', async () => {
    const { status, json, headers } = await chat(
      {},
      { 'http-referer': 'https://x.example', 'x-title': 'x' },
    );
    expect(status).toBe(200);
    expect(headers.get('x-generation-id')).toBe(json.id);
    expect(json).toMatchObject({
      id: expect.stringMatching(/^gen-/),
      provider: 'Z.AI',
      model: 'z-ai/glm-5.3',
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          native_finish_reason: 'end_turn',
          message: { content: '2 + 3 is 5.' },
        },
      ],
      usage: {
        is_byok: false,
        cost_details: expect.any(Object),
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: expect.any(Number) },
      },
    });
    const { prompt_tokens: input, completion_tokens: output, cost } = json.usage;
    expect(cost).toBeCloseTo((input * 1.4 + output * 4.4) / 1_000_000, 10);
  });

  test('has its thoughts as text and as details, which come back unmodified [facts:openrouter:reasoning-details]', async () => {
    const body = { messages: [user('What is the weather in Oslo?')], tools: [WEATHER_TOOL] };
    const { message } = (await chat(body)).json.choices[0];
    expect(message.reasoning).toContain('weather');
    expect(message.reasoning_details).toEqual([
      {
        type: 'reasoning.text',
        text: message.reasoning,
        signature: expect.any(String),
        id: null,
        format: 'unknown',
        index: 0,
      },
    ]);
    const follow = (details: unknown): Promise<Answered> =>
      chat({
        ...body,
        messages: [
          ...body.messages,
          { ...message, reasoning_details: details },
          { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'four degrees' },
        ],
      });
    expect((await follow(message.reasoning_details)).json.choices[0].message.content).toContain(
      'four degrees',
    );
    expect(
      (await follow([{ ...message.reasoning_details[0], text: 'Something else.' }])).status,
    ).toBe(400);
  });

  test('may seal or sum up its thoughts [facts:openrouter:reasoning-kinds]', async () => {
    set('reasoningDetails', 'encrypted');
    const sealed = (await chat()).json.choices[0].message;
    expect(sealed.reasoning).toBeNull();
    expect(sealed.reasoning_details[0].type).toBe('reasoning.encrypted');
    set('reasoningDetails', 'summary');
    expect((await chat()).json.choices[0].message.reasoning_details[0]).toHaveProperty('summary');
  });

  test('does not think when told, or when it cannot [facts:openrouter:reasoning-effort]', async () => {
    for (const body of [
      { reasoning: { effort: 'none' } },
      { reasoning_effort: 'none' },
      { model: 'meta-llama/llama-3.3-70b-instruct' },
    ])
      expect((await chat(body)).json.choices[0].message.reasoning).toBeNull();
    for (const effort of ['max', 'xhigh', 'high', 'medium', 'low', 'minimal'])
      expect((await chat({ reasoning: { effort } })).status).toBe(200);
    expect((await chat({ reasoning: { effort: 'huge' } })).status).toBe(400);
  });
});

describe('a stream', () => {
  test('begins with comments and ends with the usage [facts:openrouter:stream]', async () => {
    const answer = await chat({ stream: true });
    const events = eventsOf(answer);
    expect(
      answer.text.startsWith(': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\ndata: '),
    ).toBe(true);
    expect(answer.headers.get('x-generation-id')).toBe(events[0].id);
    expect(joined(events, 'content')).toBe('2 + 3 is 5.');
    expect(joined(events, 'reasoning')).toContain('2 + 3');
    expect(events.at(-2).choices[0]).toMatchObject({
      finish_reason: 'stop',
      native_finish_reason: 'end_turn',
    });
    expect(events.at(-1)).toMatchObject({ choices: [], usage: { cost: expect.any(Number) } });
    expect(answer.text.endsWith('data: [DONE]\n\n')).toBe(true);
    set('usageChunk', 'choice');
    expect(eventsOf(await chat({ stream: true })).at(-1).choices).toHaveLength(1);
  });

  test('has details in pieces that can be handed back [facts:openrouter:stream-details]', async () => {
    const events = eventsOf(await chat({ stream: true }));
    const details = events.flatMap((event) => event.choices[0]?.delta?.reasoning_details ?? []);
    const merged = {
      type: 'reasoning.text',
      text: details.map((detail) => detail.text ?? '').join(''),
      signature: details.at(-1).signature,
    };
    const history = [
      user('What is 2 + 3?'),
      { role: 'assistant', content: '5', reasoning_details: [merged] },
      user('Sure?'),
    ];
    expect((await chat({ messages: history })).status).toBe(200);
    expect(
      (
        await chat({
          messages: history.with(1, {
            role: 'assistant',
            content: '5',
            reasoning_details: details,
          }),
        })
      ).status,
    ).toBe(200);
  });

  test('streams tool arguments in pieces', async () => {
    const events = eventsOf(
      await chat({
        stream: true,
        messages: [user('What is the weather in Oslo?')],
        tools: [WEATHER_TOOL],
      }),
    );
    const calls = events.flatMap((event) => event.choices[0]?.delta?.tool_calls ?? []);
    expect(calls[0]).toMatchObject({
      index: 0,
      id: expect.any(String),
      function: { name: 'get_weather' },
    });
    expect(calls.map((call) => call.function.arguments).join('')).toBe('{"city":"Oslo"}');
  });
});

describe('routing', () => {
  test('falls back along models[] and says which one answered [facts:openrouter:models-fallback]', async () => {
    const alone = await chat({ model: 'emulated/down' });
    expect([alone.status, alone.headers.get('retry-after')]).toEqual([503, '1']);
    const { json } = await chat({ model: 'emulated/down', models: ['moonshotai/kimi-k2.6'] });
    expect(json.model).toBe('moonshotai/kimi-k2.6');
    expect(
      (await chat({ model: undefined, models: ['emulated/down', 'z-ai/glm-4.5-air'] })).json.model,
    ).toBe('z-ai/glm-4.5-air');
    expect((await chat({ models: 'z-ai/glm-5.3' })).status).toBe(400);
    expect((await chat({ model: undefined })).status).toBe(400);
  });

  test('takes provider preferences [facts:openrouter:provider]', async () => {
    const provider = async (requested: object): Promise<string> =>
      (await chat({ provider: requested })).json.provider;
    expect(await provider({ order: ['novita'], allow_fallbacks: true })).toBe('Novita');
    expect(await provider({ ignore: ['z-ai'] })).toBe('Novita');
    expect(
      await provider({
        only: ['Novita'],
        data_collection: 'deny',
        zdr: true,
        sort: 'price',
        quantizations: ['fp8'],
      }),
    ).toBe('Novita');
    expect((await chat({ provider: { only: ['nobody'] } })).status).toBe(503);
    expect((await chat({ provider: { order: ['nobody'], allow_fallbacks: false } })).status).toBe(
      503,
    );
    expect((await chat({ provider: 'z-ai' })).status).toBe(400);
  });

  test('knows endings and aliases of ids, and no others [facts:openrouter:model-ids]', async () => {
    const free = (await chat({ model: 'z-ai/glm-4.5-air:free' })).json;
    expect([free.model, free.usage.cost]).toEqual(['z-ai/glm-4.5-air:free', 0]);
    expect((await chat({ model: '~z-ai/glm-latest' })).json.model).toBe('z-ai/glm-5.3');
    const unknown = await chat({ model: 'z-ai/glm-99' });
    expect([unknown.status, unknown.json.error]).toEqual([
      400,
      { code: 400, message: 'z-ai/glm-99 is not a valid model ID' },
    ]);
  });

  test('accepts plugins, sessions and cache_control without a word [facts:openrouter:extra-fields]', async () => {
    const more = {
      plugins: [{ id: 'web' }],
      session_id: 's',
      cache_control: { type: 'ephemeral' },
      service_tier: 'flex',
    };
    expect((await chat(more)).status).toBe(200);
  });

  test('finds no endpoint for tools or pictures where the model has neither', async () => {
    expect((await chat({ model: 'emulated/small', tools: [WEATHER_TOOL] })).status).toBe(404);
    const picture = {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${png(3, 2).toString('base64')}` },
    };
    expect((await chat({ messages: [user([picture])] })).status).toBe(404);
    const seen = await chat({ model: 'moonshotai/kimi-k2.6', messages: [user([picture])] });
    expect(seen.json.choices[0].message.content).toContain('3 x 2 pixels');
  });

  test('refuses what is longer than the context [facts:openrouter:context-length]', async () => {
    const { status, json } = await chat({
      model: 'emulated/small',
      messages: [user('word '.repeat(5_000))],
    });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({
      code: 400,
      metadata: { error_type: 'context_length_exceeded' },
    });
  });
});

test('GET /models has the shape of the SDK, for everybody [facts:openrouter:models]', async () => {
  const { json } = await router.send('GET', `${BASE}/models`, { headers: {} });
  expect([json.links, json.total_count]).toEqual([{ next: null }, json.data.length]);
  expect(json.data[0]).toMatchObject({
    id: 'z-ai/glm-5.3',
    canonical_slug: 'z-ai/glm-5.3',
    name: expect.any(String),
    created: expect.any(Number),
    description: expect.any(String),
    context_length: 1_048_576,
    architecture: { input_modalities: ['text'] },
    pricing: { prompt: '0.0000014', completion: '0.0000044' },
    top_provider: { max_completion_tokens: 131_072 },
    supported_parameters: expect.arrayContaining(['tools', 'reasoning']),
    default_parameters: {},
    per_request_limits: null,
    expiration_date: null,
  });
  const auto = json.data.find((model: { id: string }) => model.id === 'openrouter/auto');
  expect([auto.context_length, auto.alias_target]).toEqual([null, undefined]);
  const latest = json.data.find((model: { id: string }) => model.id === '~z-ai/glm-latest');
  expect(latest.alias_target).toEqual({ name: expect.any(String), slug: 'z-ai/glm-5.3' });
  for (const model of json.data) {
    expect(model.links).toEqual({ details: expect.any(String) });
    expect(model.supported_voices).toBeNull();
  }
});

test('a model with mandatory reasoning refuses the effort none [facts:openrouter:reasoning-mandatory]', async () => {
  const { json } = await router.send('GET', `${BASE}/models`, { headers: {} });
  const k3 = json.data.find((model: { id: string }) => model.id === 'moonshotai/kimi-k3');
  expect(k3.reasoning).toEqual({
    mandatory: true,
    default_enabled: true,
    supported_efforts: ['max', 'high', 'low'],
  });
  const asked = (effort: string) => chat({ model: 'moonshotai/kimi-k3', reasoning: { effort } });
  expect((await asked('none')).json.error).toEqual({
    code: 400,
    message: 'Reasoning is mandatory for this endpoint and cannot be disabled.',
  });
  expect((await asked('low')).status).toBe(200);
});

test("Moonshot's rules for schemas hold behind OpenRouter [facts:openrouter:moonshot-schema]", async () => {
  const tools = [
    { type: 'function', function: { name: 'x', description: 'x', parameters: { properties: {} } } },
  ];
  const { status, json } = await chat({ model: 'moonshotai/kimi-k2.6', tools });
  expect([status, json.error.metadata.provider_name]).toEqual([400, 'Moonshot AI']);
  expect((await chat({ tools })).status).toBe(200);
});

test('a session id has at most 256 characters [facts:openrouter:session-id]', async () => {
  expect((await chat({ session_id: 'x'.repeat(256) })).status).toBe(200);
  expect((await chat({ session_id: 'x'.repeat(257) })).status).toBe(400);
});

test('GET /credits tells what was bought and spent [facts:openrouter:credits]', async () => {
  const { cost } = (await chat()).json.usage;
  expect((await router.get(`${BASE}/credits`)).json).toEqual({
    data: { total_credits: 100, total_usage: cost },
  });
});

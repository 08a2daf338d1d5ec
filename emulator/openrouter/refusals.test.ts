import { describe, expect, test } from 'vitest';
import { eventsOf, user, WEATHER_TOOL } from '../client.fixture.ts';
import { BASE, useOpenRouter } from './openrouter.fixture.ts';

const { chat, faulty, router, set } = useOpenRouter();

describe('keys', () => {
  test('GET /key tells what was spent [facts:openrouter:key]', async () => {
    expect((await router.get(`${BASE}/key`)).json).toMatchObject({
      data: {
        usage_daily: 0,
        byok_usage: 0,
        is_management_key: false,
        limit_reset: null,
        rate_limit: { requests: -1 },
        label: 'sk-or-emu...ted',
        usage: 0,
        limit: null,
        limit_remaining: null,
        is_free_tier: false,
      },
    });
    const { cost } = (await chat()).json.usage;
    set('limit', 1);
    expect((await router.get(`${BASE}/key`)).json.data).toMatchObject({
      usage: cost,
      limit: 1,
      limit_remaining: 1 - cost,
    });
    set('limit', 0);
    expect((await chat()).status).toBe(402);
  });

  test.each([
    [undefined, 401],
    ['Bearer sk-or-wrong', 401],
    ['Bearer sk-of-another-vendor', 401],
    ['Bearer sk-or-poor', 402],
  ])('%s is %i, with the status as code [facts:openrouter:auth]', async (authorization, status) => {
    const answer = await router.send('POST', `${BASE}/chat/completions`, {
      headers: authorization === undefined ? {} : { authorization },
      body: JSON.stringify({ model: 'z-ai/glm-5.3', messages: [user('Hi')] }),
    });
    expect([answer.status, answer.json.error.code]).toEqual([status, status]);
  });
});

describe('faults', () => {
  test.each([
    ['F1', 429, 'rate_limit_exceeded', '1'],
    ['F2', 402, 'payment_required', null],
    ['F2.budget', 402, 'payment_required', '1'],
    ['F3;seconds=7', 503, 'provider_unavailable', '7'],
    ['F3.overloaded', 503, 'provider_overloaded', null],
    ['F3.upstream', 502, 'provider_unavailable', null],
    ['F3.timeout', 408, 'timeout', null],
    ['F11.moderation', 403, 'content_policy_violation', null],
  ])('%s is %i of type %s [facts:openrouter:errors]', async (fault, status, type, retryAfter) => {
    const answer = await faulty(fault);
    expect(answer.status).toBe(status);
    expect(answer.json.error).toMatchObject({ code: status, metadata: { error_type: type } });
    expect(answer.headers.get('retry-after')).toBe(retryAfter);
  });

  test('the 402 that passes says where its limit is from; moderation says what it found', async () => {
    expect((await faulty('F2.budget')).json.error.metadata.limit_source).toBe(
      'openrouter_in_flight_budget',
    );
    expect((await faulty('F11.moderation')).json.error.metadata).toMatchObject({
      reasons: ['violence'],
      provider_name: 'Emulated',
    });
    expect((await faulty('F10')).json.error.message).toBe('z-ai/glm-5.3 is not a valid model ID');
    expect((await faulty('F16')).status).toBe(401);
  });

  test('an error after the start is an event with 200 and the finish error [facts:openrouter:in-stream-error]', async () => {
    const answer = await faulty('F11.error;after=3', { stream: true });
    const events = eventsOf(answer);
    expect(answer.status).toBe(200);
    expect(events).toHaveLength(4);
    expect(events[3]).toMatchObject({
      id: events[0].id,
      object: 'chat.completion.chunk',
      error: {
        code: 502,
        message: expect.any(String),
        metadata: { error_type: 'provider_unavailable', provider_code: 'server_error' },
      },
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
    });
  });

  test('a whole answer may be an error with 200 [facts:openrouter:error-200]', async () => {
    const { status, json } = await faulty('F11.error');
    expect([status, json.error.code]).toEqual([200, 502]);
    expect(json).not.toHaveProperty('choices');
  });

  test('content_filter ends an answer in its middle [facts:openrouter:finish-reasons]', async () => {
    const { json } = await faulty('F11.content_filter', { messages: [user('[[tokens 4]]')] });
    expect(json.choices[0]).toMatchObject({
      finish_reason: 'content_filter',
      message: { content: 'amber birch' },
    });
  });

  test('usage, calls, formats, budgets and ignored fields go wrong as elsewhere [F7, F8, F12, F13, F21]', async () => {
    expect((await faulty('F7.missing')).json).not.toHaveProperty('usage');
    expect(eventsOf(await faulty('F7.choice', { stream: true })).at(-1).choices[0]).toHaveProperty(
      'usage',
    );
    const call = { messages: [user('[[call a {"x":1}]]')], tools: [WEATHER_TOOL] };
    expect(
      (await faulty('F8.object', call)).json.choices[0].message.tool_calls[0].function.arguments,
    ).toEqual({ x: 1 });
    const json = { response_format: { type: 'json_object' } };
    expect((await faulty('F12', json)).json.choices[0].message.content).toMatch(/^```json/);
    expect((await faulty('F13')).json.choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: '' },
    });
    expect((await faulty('F21', json)).json.choices[0].message.content).toBe('2 + 3 is 5.');
  });
});

test('bad input is one clear 400', async () => {
  for (const body of [
    { messages: [] },
    { messages: 'x' },
    { messages: [1] },
    { temperature: 3 },
    { stream: 'yes' },
    { reasoning: 1 },
    { max_tokens: 0 },
  ])
    expect((await chat(body)).status).toBe(400);
  expect((await router.post(`${BASE}/chat/completions`, '{')).status).toBe(400);
  expect((await router.get(`${BASE}/nothing`)).status).toBe(404);
});

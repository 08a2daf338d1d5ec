import { describe, expect, test } from 'vitest';
import { CALL_FAULTS } from '../call-faults.ts';
import { eventsOf, WEATHER } from '../emulator.fixture.ts';
import { useKimi } from './kimi.fixture.ts';

const harness = useKimi();

const hit = (fault: string, more: object = {}) =>
  harness.as().chat('What is the weather in Paris?', more, { 'x-emulate-fault': fault });

describe('refusals', () => {
  test.each([
    ['F1;seconds=7', 429, 'rate_limit_reached_error', '7', 'please try again after 7 seconds'],
    [
      'F1;seconds=7;hint=message',
      429,
      'rate_limit_reached_error',
      null,
      'please try again after 7 seconds',
    ],
    ['F1;hint=none', 429, 'rate_limit_reached_error', null, 'Organization Rate limit exceeded'],
    ['F2', 429, 'exceeded_current_quota_error', null, 'insufficient balance'],
    ['F3', 429, 'engine_overloaded_error', '1', 'overloaded'],
    [
      'F10',
      404,
      'resource_not_found_error',
      null,
      'Not found the model kimi-k2.6 or Permission denied',
    ],
    ['F16', 401, 'incorrect_api_key_error', null, 'Incorrect API key provided'],
    ['F20', 429, 'rate_limit_reached_error', '1', 'max organization concurrency: 1'],
  ])('%s is a %i %s', async (fault, status, type, retryAfter, words) => {
    const answer = await hit(fault);
    expect([answer.status, answer.json.error.type, answer.headers.get('retry-after')]).toEqual([
      status,
      type,
      retryAfter,
    ]);
    expect(answer.json.error.message).toContain(words);
    expect(answer.headers.get('msh-request-id')).toEqual(expect.any(String));
  });

  test('F1;hint=x-header has the second header alone', async () => {
    const { headers } = await hit('F1;seconds=3;hint=x-header');
    expect([headers.get('retry-after'), headers.get('x-retry-after')]).toEqual([null, '3']);
  });
});

describe('usage (F7)', () => {
  const events = async (kind: string) =>
    eventsOf(
      (await hit(`F7.${kind}`, { stream: true, stream_options: { include_usage: true } })).text,
    );

  test('is in the choice alone, at the top alone, or missing', async () => {
    const choice = (await events('choice')).at(-1);
    expect([choice.choices[0].usage, choice.usage]).toEqual([expect.any(Object), undefined]);
    const top = (await events('top')).at(-1);
    expect([top.choices[0].usage, top.usage]).toEqual([undefined, expect.any(Object)]);
    expect(JSON.stringify(await events('missing'))).not.toContain('usage');
    expect((await hit('F7.missing')).json).not.toHaveProperty('usage');
  });
});

describe('tool calls (F8)', () => {
  const json = async (kind: string) =>
    (await hit(`F8.${kind}`, { tools: [WEATHER] })).json.choices[0];
  const deltas = async (kind: string) =>
    eventsOf((await hit(`F8.${kind}`, { tools: [WEATHER], stream: true })).text).flatMap(
      (event) => event.choices[0].delta.tool_calls ?? [],
    );

  test.each(CALL_FAULTS)(
    '%s is answered in both forms, even when nothing was to be called',
    async (kind) => {
      expect((await json(kind)).message).toEqual(expect.any(Object));
      const forced = await harness
        .as()
        .chat('Hello', { tools: [WEATHER] }, { 'x-emulate-fault': `F8.${kind}` });
      expect(JSON.stringify(forced.json.choices)).toContain('get_weather');
      await deltas(kind);
    },
  );

  test('each is wrong in its own way', async () => {
    expect((await json('noid')).message.tool_calls[0]).not.toHaveProperty('id');
    expect((await deltas('noid')).some((delta) => 'id' in delta)).toBe(false);
    expect((await deltas('noindex')).some((delta) => 'index' in delta)).toBe(false);
    expect((await json('object')).message.tool_calls[0].function.arguments).toEqual({
      city: 'Paris',
    });
    expect((await json('truncated')).message.tool_calls[0].function.arguments).toBe('{"city":');
    expect((await json('unknown')).message.tool_calls[0].function.name).toBe(
      'get_weather_that_nobody_offered',
    );
    expect((await json('concatenated')).message.tool_calls[0].function.arguments).toBe(
      '{"city":"Paris"}{"city":"Paris"}',
    );
    const [first, second] = (await json('duplicate')).message.tool_calls;
    expect(first.id).toBe(second.id);
    const stopped = await json('stopfinish');
    expect([stopped.finish_reason, stopped.message.tool_calls.length]).toEqual(['stop', 1]);
    const text = await json('text');
    expect([text.finish_reason, text.message.tool_calls]).toEqual(['stop', undefined]);
    expect(text.message.content).toContain('functions.get_weather:0');
    expect((await deltas('interleaved')).slice(0, 4).map((delta) => delta.index)).toEqual([
      1, 0, 1, 0,
    ]);
  });
});

test('F13 is an empty answer whose reasoning ate the budget', async () => {
  const { json } = await hit('F13', { max_completion_tokens: 30 });
  expect(json.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '' } });
  expect(json.usage.completion_tokens).toBe(30);
});

test('F14 does nothing without a search', async () => {
  expect((await hit('F14')).json.choices[0].finish_reason).toBe('stop');
});

test('F15 fails uploads, or the reading of what was uploaded', async () => {
  const { upload, get } = harness.as();
  for (const [kind, words] of [
    ['toolarge', 'too large'],
    ['zero', 'zero'],
    ['count', 'max file count 1000'],
  ] as const) {
    const refused = await upload('a.txt', 'x', 'file-extract', {
      'x-emulate-fault': `F15.${kind}`,
    });
    expect([refused.status, refused.json.error.message]).toEqual([
      400,
      expect.stringContaining(words),
    ]);
  }
  const broken = await upload('a.txt', 'x', 'file-extract', { 'x-emulate-fault': 'F15.status' });
  expect([broken.status, broken.json.status]).toEqual([200, 'error']);
  const good = (await upload('a.txt', 'x')).json.id;
  harness.emulator.fault([
    { id: 'F15.extract', path: '/content' },
    { id: 'F15.server', path: '/content' },
  ]);
  const first = await get(`/files/${good}/content`);
  expect([first.status, first.json]).toEqual([
    500,
    { error: { message: 'extract task failed: failed', type: '' } },
  ]);
  expect((await get(`/files/${good}/content`)).json.error.type).toBe('server_error');
  expect((await get(`/files/${good}/content`)).status).toBe(200);
  expect((await get(`/files/${broken.json.id}/content`)).status).toBe(500);
});

test('F21 accepts what was asked for and does not look at it', async () => {
  const { json } = await hit('F21', { response_format: { type: 'json_object' } });
  expect(json.choices[0].message.content).toMatch(/^You wrote/);
});

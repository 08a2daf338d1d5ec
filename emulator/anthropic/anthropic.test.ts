import { expect, test } from 'vitest';
import { useEmulator, user, type Answered } from '../client.fixture.ts';
import { createAnthropic } from './anthropic.ts';

const HEADERS = { 'x-api-key': 'sk-ant-emulated-0123456789', 'anthropic-version': '2023-06-01' };
const vendor = useEmulator(() => [createAnthropic()], HEADERS);

const ask = (body: object = {}, headers: Record<string, string> = {}): Promise<Answered> =>
  vendor.post(
    '/anthropic/v1/messages',
    {
      model: 'claude-sonnet-4-5',
      max_tokens: 1_000,
      messages: [user('What is 2 + 3?')],
      ...body,
    },
    headers,
  );

/** Names and data of the events of a stream. */
const eventsOf = ({ text }: Answered) =>
  text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [first = '', second = ''] = block.split('\n');
      const data = JSON.parse(second.slice('data: '.length)) as Record<string, unknown>;
      return { name: first.slice('event: '.length), data };
    });

test('a key and a version are required, as headers [facts:anthropic:headers]', async () => {
  expect((await ask()).json).toMatchObject({ type: 'message', stop_reason: 'end_turn' });
  const wrong = await ask({}, { 'x-api-key': 'sk-ant-wrong' });
  expect(wrong.status).toBe(401);
  expect(wrong.json).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
  expect((await ask({}, { 'anthropic-version': '' })).status).toBe(400);
});

test('it lists its models with has_more [facts:anthropic:models]', async () => {
  const { json } = await vendor.get('/anthropic/v1/models');
  expect(json).toMatchObject({ has_more: false, last_id: 'claude-haiku-4-5' });
  expect(json.data[0]).toMatchObject({ type: 'model', id: 'claude-opus-5-5' });
});

test('max_tokens is required, and unknown members are refused [facts:anthropic:max-tokens]', async () => {
  const none = await ask({ max_tokens: undefined });
  expect(none.json.error.message).toBe('max_tokens: Field required');
  const extra = await ask({ seed: 1 });
  expect(extra.json.error.message).toBe('seed: Extra inputs are not permitted');
  const cut = await ask({ max_tokens: 1 });
  expect(cut.json.stop_reason).toBe('max_tokens');
});

test('a stream has named events and cumulative usage [facts:anthropic:stream]', async () => {
  const events = eventsOf(await ask({ stream: true, model: 'claude-opus-5-5' }));
  expect(events.every(({ name, data }) => name === data['type'])).toBe(true);
  const names = new Set(events.map(({ name }) => name));
  expect([...names]).toEqual([
    'message_start',
    'ping',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(JSON.stringify(events)).toContain('signature_delta');
});

test('thinking goes back with its signature, or is refused [facts:anthropic:signature]', async () => {
  const { json } = await ask({ model: 'claude-opus-5-5' });
  const [thinking] = json.content;
  const back = (block: object) =>
    ask({
      model: 'claude-opus-5-5',
      messages: [
        user('What is 2 + 3?'),
        { role: 'assistant', content: [block, { type: 'text', text: '5' }] },
        user('And 4 + 4?'),
      ],
    });
  expect((await back(thinking)).status).toBe(200);
  const forged = await back({ ...thinking, signature: 'forged' });
  expect(forged.json.error.message).toContain('Invalid `signature`');
});

test('every call needs its result in the next turn [facts:anthropic:tool-results]', async () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} };
  const turns = [user('Weather?'), { role: 'assistant', content: [call] }];
  const missing = await ask({ messages: [...turns, user('Well?')] });
  expect(missing.json.error.message).toContain('without `tool_result` blocks');
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Rain' };
  const whole = await ask({ messages: [...turns, { role: 'user', content: [result] }] });
  expect(whole.status).toBe(200);
});

test('refusals have types, and 529 means overloaded [facts:anthropic:errors]', async () => {
  const rows = [
    ['F1', 429, 'rate_limit_error'],
    ['F2', 400, 'invalid_request_error'],
    ['F3', 529, 'overloaded_error'],
    ['F10', 404, 'not_found_error'],
    ['F16', 401, 'authentication_error'],
  ] as const;
  for (const [id, status, type] of rows) {
    const answered = await ask({}, { 'x-emulate-fault': id });
    expect([id, answered.status, answered.json.error.type]).toEqual([id, status, type]);
  }
});

test('a stream may fail with an event of the name error [facts:anthropic:in-stream-error]', async () => {
  const events = eventsOf(await ask({ stream: true }, { 'x-emulate-fault': 'F11.error;after=3' }));
  expect(events.at(-1)).toMatchObject({
    name: 'error',
    data: { type: 'error', error: { type: 'overloaded_error' } },
  });
});

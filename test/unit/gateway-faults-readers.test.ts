import { describe, expect, test } from 'vitest';
import { readAnswer, type ReadAnswer, type Shape } from '../cases/gateway-readers.ts';

const stream = (shape: Shape, ...events: readonly string[]): ReadAnswer =>
  readAnswer(shape, { status: 200, type: 'text/event-stream', body: events.join('') });

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const DONE = 'data: [DONE]\n\n';

const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
const HELLO = [chunk({ role: 'assistant', content: 'Hel' }), chunk({ content: 'lo' })];
const STOP = chunk({}, 'stop', { exai: { req_id: 'r' } });
const FAILURE = {
  error: { type: 'server_error', message: 'It broke off.' },
  exai: { class: 'interrupted' },
};

describe('the reader of OpenAI’s chunks', () => {
  test('puts a whole answer together', () => {
    expect(stream('openai', ': alive\n\n', ...HELLO, STOP, DONE)).toMatchObject({
      end: 'whole',
      choices: [{ text: 'Hello', calls: [], finish: 'stop' }],
      exai: { req_id: 'r' },
      alive: 1,
      wrong: [],
    });
  });

  test('puts calls together from their pieces', () => {
    const call = (given: object) => chunk({ tool_calls: [given] });
    const read = stream(
      'openai',
      chunk({ role: 'assistant' }),
      call({ index: 0, id: 'a', type: 'function', function: { name: 'add', arguments: '' } }),
      call({ index: 0, function: { arguments: '{"a":' } }),
      call({ index: 1, id: 'b', type: 'function', function: { name: 'add', arguments: '{}' } }),
      call({ index: 0, function: { arguments: '1}' } }),
      chunk({}, 'tool_calls'),
      DONE,
    );
    expect(read).toMatchObject({
      end: 'whole',
      choices: [
        {
          calls: [
            { id: 'a', name: 'add', arguments: '{"a":1}' },
            { id: 'b', arguments: '{}' },
          ],
        },
      ],
      wrong: [],
    });
  });

  test('knows an answer that breaks off from one that says so', () => {
    expect(stream('openai', ...HELLO)).toMatchObject({ end: 'cut', wrong: [] });
    expect(stream('openai', ...HELLO, data(FAILURE))).toMatchObject({
      end: 'failed',
      failure: { class: 'interrupted' },
      choices: [{ text: 'Hello' }],
      wrong: [],
    });
  });

  test.each([
    ['[DONE] without a finish', [...HELLO, DONE]],
    ['[DONE] alone', [DONE]],
    ['[DONE] after an error', [...HELLO, data(FAILURE), DONE]],
    ['an error without our class', [...HELLO, data({ error: FAILURE.error })]],
    ['text after the finish', [...HELLO, STOP, chunk({ content: '!' }), DONE]],
    ['the role again', [...HELLO, ...HELLO, STOP, DONE]],
    ['no role', [chunk({ content: 'a' }), STOP, DONE]],
    ['a chunk of another answer', [...HELLO, STOP.replace('chatcmpl-1', 'chatcmpl-2'), DONE]],
    ['no JSON', [...HELLO, 'data: {"id"\n\n', STOP, DONE]],
    ['half an event', [...HELLO, STOP, 'data: [DO']],
    ['a finish of calls that are none', [...HELLO, chunk({}, 'tool_calls'), DONE]],
    ['an empty answer', [chunk({ role: 'assistant' }), STOP, DONE]],
    [
      'usage that does not add up',
      [
        ...HELLO,
        STOP,
        chunk({}, null, {
          choices: [],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 3 },
        }),
        DONE,
      ],
    ],
  ])('objects to %s', (_, events) => {
    expect(stream('openai', ...events).wrong).not.toEqual([]);
  });
});

const event = (type: string, more: object = {}) => `event: ${type}\n${data({ type, ...more })}`;
const usage = { input_tokens: 3, output_tokens: 0 };
const START = event('message_start', {
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  },
});
const text = (index: number, ...said: readonly string[]) => [
  event('content_block_start', { index, content_block: { type: 'text', text: '' } }),
  ...said.map((each) =>
    event('content_block_delta', { index, delta: { type: 'text_delta', text: each } }),
  ),
  event('content_block_stop', { index }),
];
const tool = (index: number, ...said: readonly string[]) => [
  event('content_block_start', {
    index,
    content_block: { type: 'tool_use', id: `t${index}`, name: 'add', input: {} },
  }),
  ...said.map((each) =>
    event('content_block_delta', {
      index,
      delta: { type: 'input_json_delta', partial_json: each },
    }),
  ),
  event('content_block_stop', { index }),
];
const end = (stop = 'end_turn') =>
  event('message_delta', {
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 2 },
    exai: { req_id: 'r' },
  });
const OVER = event('message_stop');

describe('the reader of Anthropic’s events', () => {
  test('puts a whole answer together', () => {
    const read = stream(
      'anthropic',
      START,
      event('ping'),
      ...text(0, 'Hel', 'lo'),
      ...tool(1, '{"a":', '1}'),
      end('tool_use'),
      OVER,
    );
    expect(read).toMatchObject({
      end: 'whole',
      choices: [{ text: 'Hello', calls: [{ id: 't1', arguments: '{"a":1}' }], finish: 'tool_use' }],
      usage: { input: 7, output: 2 },
      alive: 1,
      wrong: [],
    });
  });

  test('knows an answer that breaks off from one that says so', () => {
    const begun = [START, ...text(0, 'Hello').slice(0, -1)];
    expect(stream('anthropic', ...begun)).toMatchObject({ end: 'cut', wrong: [] });
    expect(stream('anthropic', ...begun, event('error', FAILURE))).toMatchObject({
      end: 'failed',
      failure: { class: 'interrupted' },
      choices: [{ text: 'Hello' }],
      wrong: [],
    });
  });

  test.each([
    ['no message_start', [...text(0, 'a'), end(), OVER]],
    ['message_start again', [START, START, ...text(0, 'a'), end(), OVER]],
    ['a block that is never closed', [START, ...text(0, 'a').slice(0, -1), end(), OVER]],
    ['a block within another', [START, ...text(0).slice(0, 1), ...text(1, 'a'), end(), OVER]],
    ['an index left out', [START, ...text(1, 'a'), end(), OVER]],
    ['a delta of another kind', [START, ...tool(0, '{}').toSpliced(1, 1, text(0, 'a')[1] ?? '')]],
    ['input that is no JSON', [START, ...tool(0, '{"a"'), end('tool_use'), OVER]],
    ['message_stop after an error', [START, event('error', FAILURE), OVER]],
    ['message_stop without message_delta', [START, ...text(0, 'a'), OVER]],
    ['an empty answer', [START, end(), OVER]],
    ['a block after message_delta', [START, ...text(0, 'a'), end(), ...text(1, 'b'), OVER]],
    ['a stop for calls that are none', [START, ...text(0, 'a'), end('tool_use'), OVER]],
    ['a name that is not the type', [START.replace('event: message_start', 'event: ping')]],
  ])('objects to %s', (_, events) => {
    expect(stream('anthropic', ...events).wrong).not.toEqual([]);
  });
});

describe('the reader of whole answers', () => {
  const received = (shape: Shape, status: number, body: unknown) =>
    readAnswer(shape, { status, type: 'application/json', body: JSON.stringify(body) });
  const OPENAI = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    exai: {},
  };
  const ANTHROPIC = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 2 },
    exai: {},
  };
  const WHOLE = { end: 'whole', choices: [{ text: 'Hello' }], wrong: [] };

  test('reads them in both shapes', () => {
    expect(received('openai', 200, OPENAI)).toMatchObject(WHOLE);
    expect(received('anthropic', 200, ANTHROPIC)).toMatchObject(WHOLE);
  });

  test('reads refusals in both shapes', () => {
    const error = { ...FAILURE.error, param: null, code: null };
    const failed = { end: 'failed', failure: { class: 'interrupted' }, wrong: [] };
    expect(received('openai', 502, { ...FAILURE, error })).toMatchObject(failed);
    const refusal = { type: 'error', request_id: 'req_1', ...FAILURE };
    expect(received('anthropic', 502, refusal)).toMatchObject(failed);
  });

  test('objects to a status that does not fit', () => {
    expect(received('openai', 502, OPENAI).wrong).not.toEqual([]);
    expect(
      received('anthropic', 200, { type: 'error', request_id: '', ...FAILURE }).wrong,
    ).not.toEqual([]);
  });
});

import { expect, test } from 'vitest';
import type { StreamPart } from '#core/llm/stream-part.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ToolCall } from '#core/llm/chat.ts';
import type { FinishedChat } from '../gateway/dialect.ts';
import { ENVELOPE, EXAI, finished, STYLE, MESSAGE_USAGE, USAGE } from './finished-chat.fixture.ts';
import { readStream, parseStream, type ReadStream } from './stream-grammar.fixture.ts';
import { createAnthropicStreamWriter } from './stream-writer.ts';

const KIMI = { provider: 'kimi', model: 'kimi-k3', attempt: 1 } as const;
const GLM: StreamPart = {
  type: 'asked',
  provider: 'glm',
  model: 'glm-5.3',
  attempt: 2,
  after: 'network',
};

const EMPTY_TEXT = { type: 'text', text: '', citations: null };
const text = (said: string): StreamPart => ({ type: 'text', text: said });
const thought = (said: string): StreamPart => ({ type: 'reasoning', text: said });
const called = (index: number, added: string): StreamPart => ({
  type: 'tool_call',
  index,
  arguments: added,
});
const calling = (index: number, name: string, added = ''): StreamPart => ({
  type: 'tool_call',
  index,
  id: `call_${index}`,
  name,
  arguments: added,
});

function told(pieces: readonly StreamPart[], end: FinishedChat, style = STYLE): ReadStream {
  const writer = createAnthropicStreamWriter(style);
  let events = writer.begin('req_1', end.atMs, KIMI);
  for (const piece of pieces) events += writer.piece(piece, 0) + writer.keepalive;
  return readStream(events + writer.end(end));
}

function said({ blocks }: ReadStream): readonly string[] {
  return blocks.map((block) => `${block.type} ${block.text}`);
}

test('a text is one block between the start and stop of the message', () => {
  const writer = createAnthropicStreamWriter(STYLE);
  const end = finished({ text: 'Hi there' });
  expect(
    parseStream(
      writer.begin('req_1', end.atMs, KIMI) +
        writer.piece(text('Hi'), 0) +
        writer.piece(text(' there'), 0) +
        writer.end(end),
    ),
  ).toEqual([
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'kimi-k3',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        container: null,
        diagnostics: null,
        usage: {
          input_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 0,
          output_tokens_details: null,
          server_tool_use: null,
          ...MESSAGE_USAGE,
        },
      },
    },
    { type: 'content_block_start', index: 0, content_block: EMPTY_TEXT },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' there' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null },
      usage: USAGE,
      exai: EXAI,
    },
    { type: 'message_stop' },
  ]);
});

test('thinking has its own blocks with an empty signature, one for each model', () => {
  const pieces = [thought('h'), thought('m'), GLM, thought('so'), text('Yes.')];
  const heard = told(pieces, finished({ text: 'Yes.', reasoning: 'so' }));
  expect(said(heard)).toEqual(['thinking hm', 'thinking so', 'text Yes.']);
  const deltas = heard.events.flatMap((event) => event['delta'] ?? []);
  expect(deltas).toContainEqual({ type: 'signature_delta', signature: '' });
});

test('thinking that was not requested is left out', () => {
  const pieces = [thought('hm'), text('Yes.')];
  const heard = told(pieces, finished({ text: 'Yes.', reasoning: 'hm' }), {
    ...STYLE,
    showThinking: false,
  });
  expect(said(heard)).toEqual(['text Yes.']);
});

test('empty parts, parts of other choices and attempt starts emit nothing', () => {
  const writer = createAnthropicStreamWriter(STYLE);
  writer.begin('req_1', 0, KIMI);
  const pieces = [text(''), thought(''), GLM];
  expect(pieces.map((piece) => writer.piece(piece, 0))).toEqual(['', '', '']);
  expect(writer.piece(text('of another'), 1)).toBe('');
});

test('a seam is reported at the end, and the text continues in its block', () => {
  const seams = [{ at: 3, provider: 'glm', model: 'glm-5.3' }];
  const route = { because: [], attempts: [], notices: ['Shortened.'], seams };
  const end = finished({ text: 'Yes, sir.' }, { route });
  const heard = told([text('Yes'), GLM, text(', sir.')], end);
  expect(said(heard)).toEqual(['text Yes, sir.']);
  expect(heard.delta?.['exai']).toMatchObject({ notices: ['Shortened.'], seams });
});

const TWO: readonly ToolCall[] = [
  { id: 'call_0', name: 'read', arguments: '{"path":"a"}' },
  { id: 'call_1', name: 'look', arguments: '{"at":{"x":1}}' },
];

test('calls are streamed as they come, each in its block', () => {
  const writer = createAnthropicStreamWriter(STYLE);
  writer.begin('req_1', 0, KIMI);
  const first = writer.piece(calling(0, 'read', '{"pa'), 0);
  expect(parseStream(first)).toEqual([
    {
      type: 'content_block_start',
      index: 0,
      content_block: {
        type: 'tool_use',
        id: 'call_0',
        name: 'read',
        input: {},
        caller: { type: 'direct' },
      },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"pa' },
    },
  ]);
  expect(writer.piece(called(0, 'th":"a"}'), 0)).not.toBe('');
  expect(parseStream(writer.piece(calling(1, 'look', '{'), 0)).map(({ type }) => type)).toEqual([
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
  ]);
});

test('interleaved calls are written one after the other', () => {
  const pieces = [
    text('I look.'),
    calling(0, 'read'),
    calling(1, 'look', '{"at":'),
    called(0, '{"path":'),
    text(' And'),
    called(1, '{"x":1}}'),
    text(' on.'),
    called(0, '"a"}'),
  ];
  const end = finished({ text: 'I look. And on.', toolCalls: TWO, finish: 'tool_calls' });
  const heard = told(pieces, end);
  expect(said(heard)).toEqual([
    'text I look.',
    'tool_use {"path":"a"}',
    'tool_use {"at":{"x":1}}',
    'text  And on.',
  ]);
  expect(heard.delta?.['delta']).toMatchObject({ stop_reason: 'tool_use' });
});

test('a call without arguments is an empty object, and does not block later blocks', () => {
  const calls = [{ id: 'call_0', name: 'now', arguments: '' }, ...TWO.slice(1)];
  const pieces = [calling(0, 'now'), calling(1, 'look', '{"at":{"x":1}}')];
  const heard = told(pieces, finished({ toolCalls: calls, finish: 'tool_calls' }));
  expect(said(heard)).toEqual(['tool_use ', 'tool_use {"at":{"x":1}}']);
});

test('arguments that are not an object are wrapped into one', () => {
  const heard = told(
    [calling(0, 'read', '```json\n{"pa'), called(0, 'th":"a"}\n```'), calling(1, 'look', 'a.txt')],
    finished({
      toolCalls: [
        { id: 'call_0', name: 'read', arguments: '```json\n{"path":"a"}\n```' },
        { id: 'call_1', name: 'look', arguments: 'a.txt' },
      ],
      finish: 'tool_calls',
    }),
  );
  expect(said(heard)).toEqual(['tool_use {"path":"a"}', 'tool_use {"_raw":"a.txt"}']);
});

test('text after the arguments is dropped, with a notice', () => {
  const pieces = [calling(0, 'read', '{"path":"}"}'), called(0, ' \n'), called(0, '{"path":"b"}')];
  const calls = [{ id: 'call_0', name: 'read', arguments: '{"path":"}"} \n{"path":"b"}' }];
  const heard = told(pieces, finished({ toolCalls: calls, finish: 'tool_calls' }));
  expect(said(heard)).toEqual(['tool_use {"path":"}"}']);
  expect(heard.delta?.['exai']).toMatchObject({
    notices: ['The model wrote more than one object as the arguments of read; the first counts.'],
  });
});

test('truncated arguments stay truncated, with the stop reason', () => {
  const calls = [{ id: 'call_0', name: 'read', arguments: '{"path":"' }];
  const heard = told(
    [calling(0, 'read', '{"path":"')],
    finished({ toolCalls: calls, finish: 'length' }),
  );
  expect(said(heard)).toEqual(['tool_use {"path":"']);
  expect(heard.delta?.['delta']).toMatchObject({ stop_reason: 'max_tokens' });
});

test('parts that were not streamed are written at the end', () => {
  const end = finished({ text: 'Hello.', reasoning: 'hm', toolCalls: TWO, finish: 'tool_calls' });
  const whole = ['thinking hm', 'text Hello.', 'tool_use {"path":"a"}', 'tool_use {"at":{"x":1}}'];
  expect(said(told([], end))).toEqual(whole);
  expect(said(told([text('Hel')], end))).toEqual(whole.slice(1));
  expect(said(told([text('Hello.'), calling(0, 'read', '{"path":"a"}')], end))).toEqual(
    whole.slice(1),
  );
});

test('a call without an id gets one, and a name that was shortened is whole again', () => {
  const style = { ...STYLE, fullName: (name: string) => `${name}_in_full` };
  const calls = [{ id: '', name: 'read', arguments: '{}' }];
  const heard = told(
    [{ type: 'tool_call', index: 0, name: 'read', arguments: '{}' }],
    finished({ toolCalls: calls, finish: 'tool_calls' }),
    style,
  );
  expect(heard.blocks).toMatchObject([{ id: 'toolu_1_0', name: 'read_in_full' }]);
});

test('search results have the format of Anthropic’s web search', () => {
  const citations = [{ title: 'Weather', url: 'https://example.com/w', date: '2026-01-02' }];
  const style = { ...STYLE, search: 'on' } as const;
  const heard = told([text('Sunny.')], finished({ text: 'Sunny.', citations }), style);
  expect(heard.blocks.map(({ start }) => start)).toEqual([
    EMPTY_TEXT,
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [
        {
          type: 'web_search_result',
          title: 'Weather',
          url: 'https://example.com/w',
          encrypted_content: '',
          page_age: '2026-01-02',
        },
      ],
    },
  ]);
  expect(heard.delta?.['usage']).toMatchObject({
    server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
  });
});

test('the count of the end replaces the estimate of the beginning, also for a cached prompt', () => {
  const usage = { input: 100, output: 20, cached: 100, reasoning: 0, estimated: false };
  const heard = told([text('Hi.')], finished({ text: 'Hi.', usage }));
  // Clients take a count of 0 for an absent one, and keep the estimate.
  expect(heard.delta?.['usage']).toMatchObject({
    input_tokens: 1,
    cache_read_input_tokens: 99,
    output_tokens: 20,
  });
  expect(heard.delta?.['exai']).toMatchObject({ usage_total: { input_tokens: 310 } });
});

test('a failure is an error event, without a normal end', () => {
  const writer = createAnthropicStreamWriter(STYLE);
  const begun = writer.begin('req_1', 0, KIMI) + writer.piece(text('Hel'), 0);
  const error = new CallError('interrupted', 'The answer broke off.', { fix: 'Ask again.' });
  const heard = readStream(begun + writer.fail({ reqId: 'req_1', error, envelope: ENVELOPE }));
  expect(heard.ended).toBe('failed');
  expect(heard.events.at(-1)).toEqual({
    type: 'error',
    error: { type: 'api_error', message: 'The answer broke off. Ask again.' },
    request_id: 'req_1',
    exai: { class: 'interrupted', req_id: 'req_1', fix: 'Ask again.', attempts: EXAI.attempts },
  });
});

import { expect, test } from 'vitest';
import type { AnswerPiece } from '#core/answer-piece.ts';
import { CallError } from '#core/call-error.ts';
import type { ToolCall } from '#core/chat.ts';
import type { Finished } from '../gateway/dialect.ts';
import { ENVELOPE, FACTS, finished, STYLE, USAGE } from './answers.fixture.ts';
import { hear, parseStream, type Heard } from './stream-grammar.fixture.ts';
import { createStreamWriter } from './stream-writer.ts';

const KIMI = { provider: 'kimi', model: 'kimi-k3', attempt: 1 } as const;
const GLM: AnswerPiece = {
  type: 'asked',
  provider: 'glm',
  model: 'glm-5.3',
  attempt: 2,
  after: 'network',
};

const text = (said: string): AnswerPiece => ({ type: 'text', text: said });
const thought = (said: string): AnswerPiece => ({ type: 'reasoning', text: said });
const called = (index: number, added: string): AnswerPiece => ({
  type: 'tool_call',
  index,
  arguments: added,
});
const calling = (index: number, name: string, added = ''): AnswerPiece => ({
  type: 'tool_call',
  index,
  id: `call_${index}`,
  name,
  arguments: added,
});

function told(pieces: readonly AnswerPiece[], end: Finished, style = STYLE): Heard {
  const writer = createStreamWriter(style);
  let events = writer.begin('req_1', end.atMs, KIMI);
  for (const piece of pieces) events += writer.piece(piece, 0) + writer.alive;
  return hear(events + writer.end(end));
}

function said({ blocks }: Heard): readonly string[] {
  return blocks.map((block) => `${block.type} ${block.text}`);
}

test('a text is told as one block, between the start of a message and its stop', () => {
  const writer = createStreamWriter(STYLE);
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
        usage: {
          input_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 0,
        },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' there' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null },
      usage: USAGE,
      exai: FACTS,
    },
    { type: 'message_stop' },
  ]);
});

test('thoughts are blocks of their own, signed with nothing, and one for each who thinks', () => {
  const pieces = [thought('h'), thought('m'), GLM, thought('so'), text('Yes.')];
  const heard = told(pieces, finished({ text: 'Yes.', reasoning: 'so' }));
  expect(said(heard)).toEqual(['thinking hm', 'thinking so', 'text Yes.']);
  const deltas = heard.events.flatMap((event) => event['delta'] ?? []);
  expect(deltas).toContainEqual({ type: 'signature_delta', signature: '' });
});

test('who did not ask for thoughts is told none', () => {
  const pieces = [thought('hm'), text('Yes.')];
  const heard = told(pieces, finished({ text: 'Yes.', reasoning: 'hm' }), {
    ...STYLE,
    thoughts: 'kept',
  });
  expect(said(heard)).toEqual(['text Yes.']);
});

test('pieces without words, of another answer, or about who is asked say nothing', () => {
  const writer = createStreamWriter(STYLE);
  writer.begin('req_1', 0, KIMI);
  const pieces = [text(''), thought(''), GLM];
  expect(pieces.map((piece) => writer.piece(piece, 0))).toEqual(['', '', '']);
  expect(writer.piece(text('of another'), 1)).toBe('');
});

test('a seam is told at the end, and the text goes on in its block', () => {
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

test('calls are told as they come, each in its block', () => {
  const writer = createStreamWriter(STYLE);
  writer.begin('req_1', 0, KIMI);
  const first = writer.piece(calling(0, 'read', '{"pa'), 0);
  expect(parseStream(first)).toEqual([
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'call_0', name: 'read', input: {} },
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

test('calls that are told in turns come one after the other', () => {
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

test('a call without arguments is an empty object, and holds nothing back for good', () => {
  const calls = [{ id: 'call_0', name: 'now', arguments: '' }, ...TWO.slice(1)];
  const pieces = [calling(0, 'now'), calling(1, 'look', '{"at":{"x":1}}')];
  const heard = told(pieces, finished({ toolCalls: calls, finish: 'tool_calls' }));
  expect(said(heard)).toEqual(['tool_use ', 'tool_use {"at":{"x":1}}']);
});

test('arguments that are no object are told as one, with what was written', () => {
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

test('what a model writes after its arguments is left out, and that is said', () => {
  const pieces = [calling(0, 'read', '{"path":"}"}'), called(0, ' \n'), called(0, '{"path":"b"}')];
  const calls = [{ id: 'call_0', name: 'read', arguments: '{"path":"}"} \n{"path":"b"}' }];
  const heard = told(pieces, finished({ toolCalls: calls, finish: 'tool_calls' }));
  expect(said(heard)).toEqual(['tool_use {"path":"}"}']);
  expect(heard.delta?.['exai']).toMatchObject({
    notices: ['The model wrote more than one object as the arguments of read; the first counts.'],
  });
});

test('arguments that were cut off stay cut off, and the reason is told', () => {
  const calls = [{ id: 'call_0', name: 'read', arguments: '{"path":"' }];
  const heard = told(
    [calling(0, 'read', '{"path":"')],
    finished({ toolCalls: calls, finish: 'length' }),
  );
  expect(said(heard)).toEqual(['tool_use {"path":"']);
  expect(heard.delta?.['delta']).toMatchObject({ stop_reason: 'max_tokens' });
});

test('what was never told piece by piece is told at the end', () => {
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

test('what a search found is told as Anthropic’s own search tells it', () => {
  const citations = [{ title: 'Weather', url: 'https://example.com/w', date: '2026-01-02' }];
  const style = { ...STYLE, search: 'on' } as const;
  const heard = told([text('Sunny.')], finished({ text: 'Sunny.', citations }), style);
  expect(heard.blocks.map(({ start }) => start)).toEqual([
    { type: 'text', text: '' },
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

test('a failure is told as an error, and nothing that looks like a good end', () => {
  const writer = createStreamWriter(STYLE);
  const begun = writer.begin('req_1', 0, KIMI) + writer.piece(text('Hel'), 0);
  const error = new CallError('interrupted', 'The answer broke off.', { fix: 'Ask again.' });
  const heard = hear(begun + writer.fail({ reqId: 'req_1', error, envelope: ENVELOPE }));
  expect(heard.ended).toBe('failed');
  expect(heard.events.at(-1)).toEqual({
    type: 'error',
    error: { type: 'api_error', message: 'The answer broke off. Ask again.' },
    request_id: 'req_1',
    exai: { class: 'interrupted', req_id: 'req_1', fix: 'Ask again.', attempts: FACTS.attempts },
  });
});

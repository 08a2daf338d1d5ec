import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { GatewayChoice } from '#core/llm/gateway.ts';
import type { StreamPart } from '#core/llm/stream-part.ts';
import { verifies } from '../../../test/verifies.ts';
import { play, script, textOf } from '../gateway/stream-parts.fixture.ts';
import { choiceOf, ENVELOPE } from '../openai/finished-chat.fixture.ts';
import { readResponsesRequest } from './request.ts';
import { toResponsesChat } from './respond.ts';

const REQ = 'req_0123456789abcdefghjkmn';
const KIMI = { provider: 'kimi', model: 'kimi-k3', attempt: 1 } as const;
const STORED = { previous: [], referenced: [] };
const STORE = { store: { save: async () => undefined }, principal: 'ann' };

interface StreamEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly output_index?: number;
  readonly delta?: string;
  readonly item?: { readonly id: string; readonly type: string };
  readonly response?: {
    readonly status: string;
    readonly output: readonly Readonly<Record<string, unknown>>[];
  };
}

function eventsOf(text: string): readonly StreamEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((event) => {
      const [, name, data] = /^event: ([a-z_.]+)\ndata: ([^\n\r]*)$/.exec(event) ?? [];
      const parsed = JSON.parse(data ?? '') as StreamEvent;
      expect(parsed.type).toBe(name);
      return parsed;
    });
}

function written(pieces: readonly StreamPart[], choice: GatewayChoice, body: object = {}) {
  const request = readResponsesRequest({ input: 'Hello?', stream: true, ...body }, {});
  const writer = toResponsesChat(request, STORED, STORE).createWriter();
  let text = writer.begin(REQ, 1_700_000_000_999, KIMI);
  for (const piece of pieces) text += writer.piece(piece, 0);
  const answer = { choices: [choice] };
  text += writer.end({ reqId: REQ, atMs: 1_700_000_001_000, answer, envelope: ENVELOPE });
  return eventsOf(text);
}

/** Checks the order of events, and returns what a client assembles. */
function judge(events: readonly StreamEvent[]) {
  const done: unknown[] = [];
  const problems: string[] = [];
  let open: string | undefined;
  for (const [at, event] of events.entries()) {
    const { type, sequence_number: sequence, output_index: index, item } = event;
    const isAdded = type === 'response.output_item.added';
    const isDone = type === 'response.output_item.done';
    if (sequence !== at) problems.push(`${type} has the number ${sequence}`);
    if (index !== undefined && index !== done.length) problems.push(`${type} is of item ${index}`);
    if (index !== undefined && isAdded === (open !== undefined)) problems.push(`${type} is late`);
    if (isDone && open !== item?.id) problems.push(`${type} ends another item`);
    if (isAdded) open = item?.id;
    if (!isDone) continue;
    done.push(item);
    open = undefined;
  }
  expect(problems).toEqual([]);
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
  ]);
  const last = events.at(-1);
  expect(last?.response?.output).toEqual(done);
  const delta = (type: string) =>
    events
      .filter((event) => event.type === type)
      .map((event) => event.delta)
      .join('');
  return { last, output: last?.response?.output ?? [], delta };
}

verifies('responses:grammar', 'any sequence of parts becomes ordered items without loss', () => {
  const parts = fc.constantFrom('all of it', 'some of it', 'nothing of it');
  fc.assert(
    fc.property(script, parts, ({ steps, texts }, told) => {
      const { pieces, toolCalls } = play(steps, texts);
      const text = textOf(pieces, 'text');
      const reasoning = textOf(pieces, 'reasoning');
      const shown = told === 'all of it' ? pieces : told === 'some of it' ? pieces.slice(0, 3) : [];
      const finish = toolCalls.length > 0 ? 'tool_calls' : 'stop';
      const choice = choiceOf({ text, reasoning, toolCalls, finish });
      const { output, delta, last } = judge(written(shown, choice));
      expect(last?.type).toBe('response.completed');
      expect(delta('response.output_text.delta')).toBe(text);
      const calls = output.filter(({ type }) => type === 'function_call');
      expect(new Map(calls.map((call) => [call['call_id'], call['arguments']]))).toEqual(
        new Map(toolCalls.map((call) => [call.id, call.arguments])),
      );
      const messages = output.filter(({ type }) => type === 'message');
      expect(messages.length).toBeGreaterThan(toolCalls.length > 0 || text !== '' ? -1 : 0);
    }),
  );
});

test('the text, its sources and the reasoning are told piece by piece', () => {
  const citations = [{ title: 'A', url: 'https://a.example', mark: 'ref_1' }];
  const choice = choiceOf({ text: 'See [ref_1].', reasoning: 'Look.', citations });
  const pieces = [
    { type: 'reasoning', text: 'Look.' },
    { type: 'text', text: 'See ' },
    { type: 'text', text: '[ref_1].' },
  ] as const;
  const events = written(pieces, choice, { reasoning: { summary: 'auto' } });
  expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.delta',
    'output_text.annotation.added',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ]);
  const { output } = judge(events);
  expect(output[0]).toMatchObject({ summary: [{ type: 'summary_text', text: 'Look.' }] });
  expect(output[1]).toMatchObject({
    content: [{ annotations: [{ type: 'url_citation', start_index: 4, end_index: 11 }] }],
  });
});

test('an answer that reached its limit is incomplete', () => {
  const { last, output } = judge(written([], choiceOf({ text: 'Half', finish: 'length' })));
  expect(last).toMatchObject({
    type: 'response.incomplete',
    response: { incomplete_details: { reason: 'max_output_tokens' } },
  });
  expect(output).toMatchObject([{ status: 'incomplete' }]);
});

test('a tool with free text and the local shell get items of their own', () => {
  const tools = [{ type: 'custom', name: 'patch' }, { type: 'local_shell' }];
  const toolCalls = [
    { id: 'c1', name: 'patch', arguments: '{"input":"*** Begin"}' },
    { id: 'c2', name: 'local_shell', arguments: '{"command":["ls","-l"]}' },
  ];
  const events = written([], choiceOf({ text: '', toolCalls, finish: 'tool_calls' }), { tools });
  const { output, delta } = judge(events);
  expect(output).toMatchObject([
    { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: '*** Begin' },
    { type: 'local_shell_call', call_id: 'c2', action: { type: 'exec', command: ['ls', '-l'] } },
  ]);
  expect(delta('response.custom_tool_call_input.delta')).toBe('*** Begin');
});

verifies('responses:grammar', 'a failure ends without anything like a complete answer', () => {
  const request = readResponsesRequest({ input: 'Hello?', stream: true }, {});
  const writer = toResponsesChat(request, STORED, STORE).createWriter();
  const text =
    writer.begin(REQ, 0, KIMI) +
    writer.piece({ type: 'text', text: 'Ha' }, 0) +
    writer.fail({ reqId: REQ, error: new CallError('interrupted', 'Gone.'), envelope: ENVELOPE });
  const types = eventsOf(text).map(({ type }) => type);
  expect(types.slice(-2)).toEqual(['error', 'response.failed']);
  expect(types).not.toContain('response.completed');
  expect(eventsOf(text).at(-2)).toMatchObject({ code: 'interrupted', error: { message: 'Gone.' } });
});

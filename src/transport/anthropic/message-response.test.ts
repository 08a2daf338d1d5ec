import { expect, test } from 'vitest';
import type { GatewayChoice } from '#core/llm/gateway.ts';
import { choiceOf } from '../gateway/gateway-choice.fixture.ts';
import { ENVELOPE, EXAI, finished, MESSAGE_USAGE, STYLE, USAGE } from './finished-chat.fixture.ts';
import { writeAnthropicResponse } from './message-response.ts';

function written(said: Partial<GatewayChoice>, style = STYLE): Record<string, unknown> {
  return JSON.parse(writeAnthropicResponse(finished(said), style)) as Record<string, unknown>;
}

test('a whole answer is a message with thinking, text and calls', () => {
  const toolCalls = [
    { id: 'call_a', name: 'read', arguments: '{"path":"a"}' },
    { id: '', name: 'now', arguments: '' },
    { id: 'call_c', name: 'look', arguments: 'a.txt' },
  ];
  const caller = { type: 'direct' };
  const said = { text: 'I look.', reasoning: 'hm', toolCalls, finish: 'tool_calls' } as const;
  expect(written(said)).toEqual({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'kimi-k3',
    content: [
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'text', text: 'I look.', citations: null },
      { type: 'tool_use', id: 'call_a', name: 'read', input: { path: 'a' }, caller },
      { type: 'tool_use', id: 'toolu_1_1', name: 'now', input: {}, caller },
      { type: 'tool_use', id: 'call_c', name: 'look', input: { _raw: 'a.txt' }, caller },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: { ...USAGE, ...MESSAGE_USAGE },
    exai: EXAI,
  });
});

test('thinking that was not requested is left out', () => {
  const said = { text: 'Yes.', reasoning: 'hm' };
  expect(written(said, { ...STYLE, showThinking: false })['content']).toEqual([
    { type: 'text', text: 'Yes.', citations: null },
  ]);
});

test('what a search found comes before the text', () => {
  const citations = [{ title: 'Weather', url: 'https://example.com/w' }];
  const { content, usage } = written({ text: 'Sunny.', citations }, { ...STYLE, search: 'on' });
  expect(content).toMatchObject([
    { type: 'server_tool_use', id: 'srvtoolu_1' },
    { type: 'web_search_tool_result', content: [{ title: 'Weather', page_age: null }] },
    { type: 'text' },
  ]);
  expect(usage).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
  expect(written({ text: 'Sunny.', citations })['content']).toHaveLength(1);
});

test.each([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'end_turn'],
] as const)('an answer without calls that finished by %s stopped by %s', (finish, reason) => {
  expect(written({ text: 'Yes.', finish })['stop_reason']).toBe(reason);
});

test('an answer without usage has zero tokens', () => {
  const { usage: _usage, ...envelope } = ENVELOPE;
  const answer = { choices: [choiceOf({ text: 'Yes.' })] };
  const message = writeAnthropicResponse({ ...finished({}), answer, envelope }, STYLE);
  expect(JSON.parse(message)).toMatchObject({
    usage: { input_tokens: 0, output_tokens: 0 },
    exai: { cost_usd: 0 },
  });
});

test('a prompt that was cached as a whole has one token that was not, so that clients take the count', () => {
  const usage = { input: 100, output: 20, cached: 100, reasoning: 0, estimated: false };
  const message = writeAnthropicResponse(finished({ text: 'Yes.', usage }), STYLE);
  expect(JSON.parse(message)).toMatchObject({
    usage: { input_tokens: 1, cache_read_input_tokens: 99, output_tokens: 20 },
  });
});

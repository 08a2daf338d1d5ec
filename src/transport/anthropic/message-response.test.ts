import { expect, test } from 'vitest';
import type { GatewayChoice } from '#core/llm/gateway.ts';
import { ENVELOPE, EXAI, finished, STYLE, USAGE } from './finished-chat.fixture.ts';
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
  const said = { text: 'I look.', reasoning: 'hm', toolCalls, finish: 'tool_calls' } as const;
  expect(written(said)).toEqual({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'kimi-k3',
    content: [
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'call_a', name: 'read', input: { path: 'a' } },
      { type: 'tool_use', id: 'toolu_1_1', name: 'now', input: {} },
      { type: 'tool_use', id: 'call_c', name: 'look', input: { _raw: 'a.txt' } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    usage: USAGE,
    exai: EXAI,
  });
});

test('thinking that was not requested is left out', () => {
  const said = { text: 'Yes.', reasoning: 'hm' };
  expect(written(said, { ...STYLE, showThinking: false })['content']).toEqual([
    { type: 'text', text: 'Yes.' },
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
  const message = writeAnthropicResponse({ ...finished({ text: 'Yes.' }), envelope }, STYLE);
  expect(JSON.parse(message)).toMatchObject({
    usage: { input_tokens: 0, output_tokens: 0 },
    exai: { cost_usd: 0 },
  });
});

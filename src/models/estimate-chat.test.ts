import { describe, expect, test } from 'vitest';
import type { ChatMessage, ChatTool } from '#core/llm/chat.ts';
import type { JsonObject } from '#core/json/json.ts';
import { estimateChat } from './estimate-chat.ts';
import { estimateTokens } from './estimate-tokens.ts';

const say = (content: string): ChatMessage => ({ role: 'user', content });

describe('the estimate of a request', () => {
  test('is the text, a little for every message, and a little before the answer', () => {
    expect(estimateChat([])).toBe(3);
    expect(estimateChat([say('Hello there'), say('Hello there')])).toBe(
      3 + 2 * (4 + estimateTokens('Hello there')),
    );
  });

  test('counts a picture flat, however many bytes it has', () => {
    const picture = (base64: string): ChatMessage => ({
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', source: { base64, mediaType: 'image/png' } },
      ],
    });
    const small = estimateChat([picture('AAAA')]);
    expect(small).toBe(3 + 4 + estimateTokens('What is this?') + 1_024);
    expect(estimateChat([picture('A'.repeat(1_000_000))])).toBe(small);
  });

  test('counts thoughts once, tool calls and their answers', () => {
    const plain = estimateChat([{ role: 'assistant', content: '' }]);
    const reasoning = 'I should look that up before I answer.';
    const thought = estimateChat([{ role: 'assistant', content: '', reasoning }]);
    const details = [{ type: 'reasoning.text', text: reasoning }];
    expect(thought).toBe(plain + estimateTokens(reasoning));
    expect(
      estimateChat([{ role: 'assistant', content: '', reasoning, reasoningDetails: details }]),
    ).toBe(thought);
    expect(
      estimateChat([{ role: 'assistant', content: '', reasoningDetails: details }]),
    ).toBeGreaterThan(plain);
    const called = estimateChat([
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'call_1', name: 'search', arguments: '{"query":"weather in Oslo"}' }],
      },
      { role: 'tool', toolCallId: 'call_1', name: 'search', content: 'Rain, 4 degrees.' },
    ]);
    expect(called).toBeGreaterThan(30);
  });

  test('counts tools about as their JSON, however deep', () => {
    const parameters: JsonObject = {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to search for, in plain words.' },
        count: { type: 'integer', minimum: 1, maximum: 50 },
        kinds: { type: 'array', items: { enum: ['news', 'paper', null] } },
      },
      required: ['query'],
    };
    const tool: ChatTool = { name: 'search', description: 'Searches the web.', parameters };
    const counted = estimateChat([], [tool]) - estimateChat([]);
    const asJson = estimateTokens(JSON.stringify(tool));
    expect(counted / asJson).toBeGreaterThan(0.7);
    expect(counted / asJson).toBeLessThan(1.5);

    let deep: JsonObject = {};
    for (let level = 0; level < 100_000; level++) deep = { items: deep };
    expect(estimateChat([], [{ ...tool, parameters: deep }])).toBeGreaterThan(100_000);
  });
});

import { expect, test } from 'vitest';
import { asQuestion, explainRequest } from './explain-request.ts';

test.each(['chat', 'thinkdeep', 'chat_EXAI-WS', 'mcp__exai__chat', 'server/tool', 'self-check'])(
  '%s is the name of a tool',
  (tool) => {
    const args = { prompt: 'x' };
    expect(explainRequest(tool, args, 'plan_only')).toEqual({ tool, args, payload: false });
  },
);

test.each(['What is new today?', '今天有什么新闻？', 'why?', ' ', 'a'.repeat(129)])(
  '%j is a question for chat',
  (question) => {
    expect(explainRequest(question, { model: 'kimi-k3' }, 'with_payload')).toEqual({
      tool: 'chat',
      args: { model: 'kimi-k3', prompt: question },
      payload: true,
    });
  },
);

test('a question in words and another in the arguments are one too many', () => {
  expect(() => explainRequest('Why not?', { prompt: 'Why?' }, 'plan_only')).toThrow(
    expect.objectContaining({ class: 'bad_request', field: '--args' }),
  );
});

test('how one word is asked as a question can be typed as it stands', () => {
  expect(asQuestion('hello')).toBe(`exai explain chat --args '{"prompt":"hello"}'`);
});

import { expect, test } from 'vitest';
import { asQuestion, explainRequest } from './explain-request.ts';

test.each(['chat', 'thinkdeep', 'chat_EXAI-WS', 'mcp__exai__chat', 'server/tool', 'self-check'])(
  '%s is the name of a tool',
  (tool) => {
    const args = { prompt: 'x' };
    expect(explainRequest(tool, args, 'plan_only')).toEqual({ tool, args, payload: false });
  },
);

test.each(['What is new today?', '今天有什么新闻？', 'why?', 'a'.repeat(129)])(
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

test('what is piped in is the text of a question, or the question, as when it is asked', () => {
  expect(explainRequest('Why not?', { model: 'kimi-k3' }, 'plan_only', 'Because.\n')).toEqual({
    tool: 'chat',
    args: { model: 'kimi-k3', prompt: 'Why not?', files: [{ name: 'stdin', text: 'Because.\n' }] },
    payload: false,
  });
  expect(explainRequest(undefined, {}, 'plan_only', 'Why not?\n').args).toEqual({
    prompt: 'Why not?',
  });
});

test.each([
  ['neither a tool nor a question', undefined, {}, '', 'tool or question'],
  ['a question of spaces', ' ', {}, 'Because.', 'tool or question'],
  ['two texts', 'Why not?', { files: [] }, 'Because.', '--args'],
  ['two questions', undefined, { prompt: 'Why?' }, 'Why not?', '--args'],
])('%s: a mistake in the use of it', (_, word, args, input, field) => {
  expect(() => explainRequest(word, args, 'plan_only', input)).toThrow(
    expect.objectContaining({ class: 'bad_request', field }),
  );
});

test('how one word is asked as a question can be typed as it stands', () => {
  expect(asQuestion('hello')).toBe(`exai explain chat --args '{"prompt":"hello"}'`);
});

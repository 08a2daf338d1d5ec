import { expect, test } from 'vitest';
import type { ToolCall } from '#core/llm/chat.ts';
import { notice } from '#core/messages/notices.ts';
import { resolveFinish } from './finish.ts';

const call = (text: string, name = 'add'): ToolCall => ({ id: name, name, arguments: text });

function ended(finish: string, ...toolCalls: ToolCall[]) {
  const said = { text: '', reasoning: '', builtinCalls: [], usage: undefined };
  return resolveFinish({ ...said, toolCalls, finish }, 'Kimi');
}

test.each(['length', 'max_tokens'])(
  'a call that %s cut off is not reported as complete',
  (finish) => {
    const limit = notice('tool_call_cut', { model: 'Kimi', tool: 'add' });
    expect(ended(finish, call('{"x":'))).toEqual({ is: 'whole', reason: 'length', notice: limit });
    expect(ended(finish, call('{"x":'), call('{}', 'b'))).toMatchObject({ reason: 'length' });
  },
);

test('a last call whose arguments never began at the limit is not complete either', () => {
  expect(ended('length', call('{}', 'a'), call(''))).toMatchObject({ reason: 'length' });
  expect(ended('length', call(''), call('{}', 'b'))).toEqual({ is: 'whole', reason: 'tool_calls' });
});

test('calls that are whole are calls, whatever the reason', () => {
  for (const finish of ['length', 'stop', 'tool_calls', 'end_turn'])
    expect(ended(finish, call('{"x":1}'))).toEqual({ is: 'whole', reason: 'tool_calls' });
});

test('arguments that are not an object get a notice, and are not due to the limit', () => {
  expect(ended('length', call('[1]'))).toMatchObject({
    reason: 'tool_calls',
    notice: { code: 'tool_arguments_invalid' },
  });
  expect(ended('tool_calls', call('{"x":'))).toMatchObject({ reason: 'tool_calls' });
});

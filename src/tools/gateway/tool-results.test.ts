import { expect, test } from 'vitest';
import type { ChatMessage } from '#core/llm/chat.ts';
import { toolResultsOf } from './tool-results.ts';

test('results are named by their tools, and those before the last answer are earlier', () => {
  const call = (id: string, name: string): ChatMessage => ({
    role: 'assistant',
    content: '',
    toolCalls: [{ id, name, arguments: '{}' }],
  });
  const messages: readonly ChatMessage[] = [
    { role: 'user', content: 'Read both.' },
    call('one', 'Read'),
    { role: 'tool', toolCallId: 'one', content: 'first' },
    call('two', 'Bash'),
    { role: 'tool', toolCallId: 'two', content: 'second' },
    { role: 'tool', toolCallId: 'lost', content: 'third' },
    { role: 'user', content: 'And now?' },
  ];
  expect(toolResultsOf(messages)).toEqual([
    { name: 'The result of Read', text: 'first', field: 'messages[2].content', isEarlier: true },
    { name: 'The result of Bash', text: 'second', field: 'messages[4].content', isEarlier: false },
    {
      name: 'The result of a tool',
      text: 'third',
      field: 'messages[5].content',
      isEarlier: false,
    },
  ]);
});

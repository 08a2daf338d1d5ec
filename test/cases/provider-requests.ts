import type { ChatMessage, ChatTool } from '#core/llm/chat.ts';

export const FIVE = 'What is 2 + 3?';

export const ADD: ChatTool = {
  name: 'add_numbers',
  description: 'Adds two whole numbers.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'integer' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
};

export function user(content: Extract<ChatMessage, { role: 'user' }>['content']): ChatMessage[] {
  return [{ role: 'user', content }];
}

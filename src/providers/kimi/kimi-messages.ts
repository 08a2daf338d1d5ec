import type { ChatMessage, ChatRequest } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { writeMessages } from '../wire/write-messages.ts';
import { writeMedia } from './media.ts';
import type { ThinkingChoice } from './think.ts';

/** Kimi refuses empty contents, and a tool may well have given nothing. */
const NO_OUTPUT = '(no output)';

export function writeKimiMessages(
  { messages, continuation }: Pick<ChatRequest, 'messages' | 'continuation'>,
  { mode, keep }: Pick<ThinkingChoice, 'mode' | 'keep'>,
): JsonObject[] {
  const written = writeMessages(
    messages.map((message) => fitting(message, mode)),
    {
      part: writeMedia,
      reasoning: mode === 'on' ? 'reasoning_content' : 'drop',
      reasoningOn: keep === 'all' ? 'all_turns' : 'tool_turns',
      details: 'drop',
      emptyContent: 'omit',
    },
  );
  const last = messages.at(-1);
  if (continuation !== 'prefix' || last?.role !== 'assistant') return written;
  const begun: JsonObject = {
    ...written.at(-1),
    ...(mode === 'on' && { reasoning_content: (last.reasoning ?? '').toWellFormed() }),
    partial: true,
  };
  return [...written.slice(0, -1), begun];
}

function fitting(message: ChatMessage, mode: 'on' | 'off'): ChatMessage {
  if (message.role === 'tool' && message.content.trim() === '')
    return { ...message, content: NO_OUTPUT };
  if (message.role !== 'assistant' || (message.toolCalls ?? []).length === 0) return message;
  return {
    ...message,
    content: message.content.trim() === '' ? '' : message.content,
    // Turns of another provider have no thoughts; Kimi wants to see the member all the same.
    ...(mode === 'on' && { reasoning: message.reasoning ?? '' }),
  };
}

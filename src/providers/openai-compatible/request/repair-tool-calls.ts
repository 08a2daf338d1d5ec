import type { ChatMessage } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { readArguments } from '#core/json/model-json.ts';
import { asObject, parseJson } from '../response/json.ts';

/**
 * Repairs earlier tool calls so that their arguments are JSON objects: Ollama refuses the whole
 * request otherwise, and chat templates of other servers fail. Unreadable arguments become empty,
 * with a notice.
 */
export function repairToolCalls(messages: readonly ChatMessage[]): {
  readonly messages: readonly ChatMessage[];
  readonly notices: readonly Notice[];
} {
  let lost = 0;
  const repaired = messages.map((message) => {
    if (message.role !== 'assistant' || !message.toolCalls) return message;
    const toolCalls = message.toolCalls.map((call) => {
      if (asObject(parseJson(call.arguments))) return call;
      const read = readArguments(call.arguments);
      if (read.is === 'unreadable') lost += 1;
      return { ...call, arguments: read.is === 'read' ? JSON.stringify(read.value) : '{}' };
    });
    return { ...message, toolCalls };
  });
  return {
    messages: repaired,
    notices: lost === 0 ? [] : [notice('tool_arguments_dropped', { calls: lost })],
  };
}

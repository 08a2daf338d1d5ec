import type { ChatMessage } from '#core/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { readArguments } from '#core/model-json.ts';
import { asObject, parseJson } from './json-read.ts';

/**
 * Messages whose earlier tool calls all have one JSON object as their arguments: Ollama refuses the whole request otherwise, and
 * templates of other servers fail on it. What cannot be read is left empty, which the caller is told.
 */
export function mendCalls(messages: readonly ChatMessage[]): {
  readonly messages: readonly ChatMessage[];
  readonly notices: readonly Notice[];
} {
  let lost = 0;
  const mended = messages.map((message) => {
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
    messages: mended,
    notices: lost === 0 ? [] : [notice('tool_arguments_dropped', { calls: lost })],
  };
}

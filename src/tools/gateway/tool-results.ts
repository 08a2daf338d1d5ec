import type { SentText } from '#core/files/sent-texts.ts';
import type { ChatMessage } from '#core/llm/chat.ts';

/** The results of the client's tools in a conversation; those before its last answer are earlier. */
export function toolResultsOf(messages: readonly ChatMessage[]): readonly SentText[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  const tools = new Map<string, string>();
  const results: SentText[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === 'assistant') {
      for (const { id, name } of message.toolCalls ?? []) tools.set(id, name);
    }
    if (message.role !== 'tool') continue;
    const { toolCallId, name = tools.get(toolCallId) ?? 'a tool', content: text } = message;
    const field = `messages[${at}].content`;
    results.push({ name: `The result of ${name}`, text, field, isEarlier: at < lastAnswer });
  }
  return results;
}

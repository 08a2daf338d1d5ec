import type { ChatMessage } from '#core/llm/chat.ts';

/**
 * Joins a text that follows tool results to the last of them. GLM forgets the reasoning of a tool
 * turn at the next message of the user, and agents add such texts between the results and the
 * answer.
 */
export function joinToolTexts(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const joined: ChatMessage[] = [];
  let isAsked = false;
  for (const message of messages) {
    const last = joined.at(-1);
    const text = message.role === 'user' ? textOf(message.content) : undefined;
    // The first message of the user stays: GLM requires one.
    if (isAsked && last?.role === 'tool' && text !== undefined) {
      const content = last.content === '' ? text : `${last.content}\n\n${text}`;
      joined[joined.length - 1] = { ...last, content };
    } else joined.push(message);
    isAsked ||= message.role === 'user';
  }
  return joined;
}

/** The text of a message; undefined if there is more than text. */
function textOf(content: Extract<ChatMessage, { role: 'user' }>['content']): string | undefined {
  if (typeof content === 'string') return content;
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === content.length ? texts.join('\n\n') : undefined;
}

import type { ChatPart } from '#core/llm/chat.ts';

/** The text of a message that has nothing else; undefined for other messages, and for files. */
export function loneText(parts: readonly ChatPart[]): string | undefined {
  const [first] = parts;
  const isLone = parts.length === 1 && first?.type === 'text' && first.fromFile === undefined;
  return isLone ? first.text : undefined;
}

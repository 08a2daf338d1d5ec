import type { AskRequest } from '#core/ask.ts';

const MAX_CHARS = 4000;

/** The words of what is asked, as many as say what it is about. */
export function questionOf({ messages }: AskRequest): string {
  const last = messages.findLast(({ role }) => role === 'user');
  if (last?.role !== 'user') return '';
  if (typeof last.content === 'string') return last.content.slice(0, MAX_CHARS);
  const texts = last.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.join('\n').slice(0, MAX_CHARS);
}

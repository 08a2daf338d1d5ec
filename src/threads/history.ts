import type { ChatMessage } from '#core/chat.ts';
import { oneLine } from '#core/one-line.ts';
import type { Turn } from '#core/stores/conversations.ts';

const MAX_NAMES = 50;
const MAX_NAME_CHARS = 200;

/** Turns as a model reads them, oldest first: the same bytes each time, which vendors' caches need. */
export function toHistory(turns: readonly Turn[]): ChatMessage[] {
  return turns.flatMap(({ role, content, files }): ChatMessage[] => {
    const text = role === 'user' && files.length > 0 ? withFiles(content, files) : content;
    // Vendors refuse a message that says nothing.
    return text === '' ? [] : [{ role, content: text }];
  });
}

/** What files held then is no part of what was said; a tool that goes on reads them as they are now, and the names tell which they are. */
function withFiles(content: string, files: readonly string[]): string {
  const names = files.slice(0, MAX_NAMES).map((name) => oneLine(name, MAX_NAME_CHARS));
  const more = files.length > MAX_NAMES ? ` and ${files.length - MAX_NAMES} more` : '';
  const line = `[Files with this message: ${names.join(', ')}${more}]`;
  return content === '' ? line : `${content}\n\n${line}`;
}

/** Newest first, each once. */
export function filesOf(turns: readonly Turn[]): string[] {
  return [...new Set(turns.toReversed().flatMap(({ files }) => files))];
}

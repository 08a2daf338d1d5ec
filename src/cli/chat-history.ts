import { readFileSync } from 'node:fs';
import { writePrivateFile } from '#config/write-private.ts';
import { linePart } from './chat-line.ts';
import { hasLabel } from './chat-pastes.ts';

export const MAX_HISTORY = 500;
const MAX_LINE_CHARS = 2_000;
const MAX_FILE_CHARS = MAX_HISTORY * (MAX_LINE_CHARS + 1);

/** What was typed in earlier chats, oldest first; the lines of one message are joined as they were typed. */
export function readHistory(file: string): readonly string[] {
  try {
    const text = readFileSync(file, 'utf8').slice(-MAX_FILE_CHARS);
    return messagesOf(text).filter(isWorthKeeping).slice(-MAX_HISTORY);
  } catch {
    // There is none yet, or it cannot be read: a chat goes well without.
    return [];
  }
}

/** Adds what was typed in this chat behind those that others kept meanwhile. */
export function keepHistory(file: string, typed: readonly string[]): void {
  const lines = typed.filter(isWorthKeeping);
  if (lines.length === 0) return;
  const all = [...readHistory(file), ...lines].filter((line, at, every) => line !== every[at + 1]);
  try {
    writePrivateFile(file, `${all.slice(-MAX_HISTORY).join('\n')}\n`);
  } catch {
    // A home that cannot be written to is told of by what needs it.
  }
}

function messagesOf(text: string): readonly string[] {
  const messages: string[] = [];
  let begun: string[] = [];
  for (const line of text.split('\n')) {
    begun.push(line);
    if (linePart(line).end === 'open') continue;
    messages.push(begun.join('\n'));
    begun = [];
  }
  return messages;
}

function isWorthKeeping(line: string): boolean {
  return line.trim() !== '' && line.length <= MAX_LINE_CHARS && !hasLabel(line);
}

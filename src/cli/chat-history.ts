import { readFileSync } from 'node:fs';
import { writePrivateFile } from '#config/write-private.ts';
import { hasLabel } from './chat-pastes.ts';

export const MAX_HISTORY = 500;
const MAX_LINE_CHARS = 2_000;
const MAX_FILE_CHARS = MAX_HISTORY * (MAX_LINE_CHARS + 1);

/** The lines that were typed in earlier chats, oldest first. */
export function readHistory(file: string): readonly string[] {
  try {
    const text = readFileSync(file, 'utf8').slice(-MAX_FILE_CHARS);
    return text.split('\n').filter(isWorthKeeping).slice(-MAX_HISTORY);
  } catch {
    // There is none yet, or it cannot be read: a chat goes well without.
    return [];
  }
}

/** Adds the lines of this chat behind those that others kept meanwhile. */
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

function isWorthKeeping(line: string): boolean {
  return line.trim() !== '' && line.length <= MAX_LINE_CHARS && !hasLabel(line);
}

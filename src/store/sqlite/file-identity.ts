import { statSync } from 'node:fs';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix } from '#core/messages/fixes.ts';

/** The file at a path: another one after it was replaced. Writes to a deleted file succeed, but are lost with the process. */
export function fileIdentity(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

export function fileGoneError(file: string): CallError {
  return new CallError(
    'internal',
    `${file} was deleted, moved or replaced while the daemon runs, so nothing can be stored.`,
    { fixes: [commandFix('exai restart', 'use the file that is there now')] },
  );
}

import { existsSync, statSync } from 'node:fs';
import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { advice, commandFix, fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';

/**
 * The file at a path: another one after it was replaced. Writes to a deleted file succeed, but are
 * lost with the process.
 */
export function fileIdentity(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/**
 * Whether the database and its log are still the files that were opened. The engine creates the log
 * with the first query and removes it with the last connection, so it stays while one is open.
 */
export function watchIdentity(file: string, opened: string | undefined): () => boolean {
  const log = `${file}-wal`;
  let openedLog: string | undefined;
  return () => {
    if (fileIdentity(file) !== opened) return false;
    const found = fileIdentity(log);
    openedLog ??= found;
    return found === openedLog;
  };
}

/** A restart helps only where a file is in the place of the database: without one it would start empty. */
export function fileGoneError(file: string): CallError {
  return codedError('internal', reason('database_gone', { file }), {
    fixes: existsSync(file)
      ? [commandFix('exai restart', 'use the file that is there now')]
      : [advice(`Put ${file} and its log back, which needs no restart.`), fix('restore_backup')],
  });
}

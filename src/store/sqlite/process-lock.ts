import { CallError } from '#core/errors/call-error.ts';
import { isHeldByOther, openSqlite } from './connection.ts';

export interface ProcessLock {
  release(): void;
}

/**
 * A lock per path with one holder among the running processes. It is an operating system lock,
 * taken through SQLite because Node has none: it ends with the process, while a pid file could be
 * stale.
 */
export function acquireProcessLock(path: string): ProcessLock | undefined {
  const connection = openSqlite(path, 'lock');
  try {
    connection.exec('begin exclusive');
    return { release: () => connection.close() };
  } catch (thrown) {
    connection.close();
    throwUnlessHeld(thrown, path);
    return undefined;
  }
}

/**
 * Whether a running process holds the lock. The check takes a shared lock for an instant, so
 * concurrent checks do not see each other.
 */
export function isProcessLockHeld(path: string): boolean {
  const connection = openSqlite(path, 'lock');
  try {
    connection.all('select count(*) as tables from sqlite_master');
    return false;
  } catch (thrown) {
    throwUnlessHeld(thrown, path);
    return true;
  } finally {
    connection.close();
  }
}

function throwUnlessHeld(thrown: unknown, path: string): void {
  const error = CallError.from(thrown);
  if (isHeldByOther(error)) return;
  if (error.class !== 'internal') throw error;
  // A lock file has no data, so the advice to restore a backup would be wrong.
  throw new CallError('validation', `${path} is not a lock file of EX-AI.`, {
    fix: 'Delete it, unless another program owns it.',
    cause: thrown,
  });
}

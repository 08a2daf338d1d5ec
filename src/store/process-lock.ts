import { CallError } from '#core/call-error.ts';
import { openSqlite } from './sqlite-connection.ts';

export interface ProcessLock {
  release(): void;
}

/**
 * One holder per path among living processes; nothing to heal after a crash. A lock of the operating system, taken
 * through SQLite because Node has none: it goes with the process, where a pid file would have to be judged stale.
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

/** Whether a living process holds the lock. Looking shares it for an instant: many may look, and none sees another. */
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
  if (error.class === 'conflict') return;
  if (error.class !== 'internal') throw error;
  // A damaged lock holds nothing worth a backup, which is what the error would speak of.
  throw new CallError('validation', `${path} is not a lock file of EX-AI.`, {
    fix: 'Delete it, unless another program owns it.',
    cause: thrown,
  });
}

import { openSqlite } from './sqlite-connection.ts';
import { CallError } from '#core/call-error.ts';

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
    if (CallError.from(thrown).class === 'conflict') return undefined;
    throw thrown;
  }
}

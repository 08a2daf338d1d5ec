import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import Libsql from 'libsql';
import { createBoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { commandFix, fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Cell, Row } from '../database.ts';
import { fileGoneError } from './file-identity.ts';

/** A SQLite connection. Another engine for SQLite's file format would replace only this file. */
export interface SqliteConnection {
  exec(sql: string): void;
  all(sql: string, params?: readonly Cell[]): Row[];
  /** Returns the number of changed rows. */
  run(sql: string, params?: readonly Cell[]): number;
  inTransaction(): boolean;
  /**
   * Ends an open transaction and closes. The engine frees statements at garbage collection and the
   * file only after them, so a lock must not depend on that.
   */
  close(): void;
}

interface Use {
  readonly pragmas: string;
  /** How long to wait for a lock of another process, in milliseconds. */
  readonly patienceMs: number;
  /**
   * Whether a file that is missing is created. Beside a log that is there, the engine would take an empty file for
   * the database, and delete the log.
   */
  readonly missing: 'create' | 'refuse';
}

const USES = {
  // FULL syncs the write-ahead log at every commit, so an acknowledged row survives a power cut.
  write: {
    pragmas: `pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;
      pragma journal_size_limit = 67108864`,
    // Writes that come meanwhile wait for this, and then for their own lock.
    patienceMs: 3000,
    missing: 'create',
  },
  read: { pragmas: 'pragma query_only = on', patienceMs: 5000, missing: 'refuse' },
  // Reads as well, but VACUUM INTO is a write for the engine. A foreign schema runs no functions.
  copy: { pragmas: 'pragma trusted_schema = off', patienceMs: 5000, missing: 'refuse' },
  lock: { pragmas: '', patienceMs: 0, missing: 'create' },
} as const satisfies Record<string, Use>;

const MAX_STATEMENTS = 256;

export function openSqlite(file: string, use: keyof typeof USES): SqliteConnection {
  return guarded(file, () => {
    const { pragmas, patienceMs, missing } = USES[use];
    if (missing === 'refuse' && !existsSync(file)) throw fileGoneError(file);
    const path = missing === 'create' ? file : `${pathToFileURL(file).href}?mode=rw`;
    const engine = new Libsql(path, { timeout: patienceMs });
    try {
      engine.exec(pragmas);
    } catch (thrown) {
      engine.close();
      throw thrown;
    }
    return toConnection(engine, file);
  });
}

function toConnection(engine: Libsql.Database, file: string): SqliteConnection {
  const statements = createBoundedMap<string, Libsql.Statement>({ maxEntries: MAX_STATEMENTS });
  const prepare = (sql: string) => {
    const known = statements.get(sql);
    if (known) return known;
    const made = engine.prepare(sql);
    statements.set(sql, made);
    return made;
  };
  let closed = false;
  /** Throws after close, because the engine would end the process. */
  const whileOpen = <T>(work: () => T): T => {
    if (closed) throw new CallError('interrupted', `${file} is closed.`);
    return guarded(file, work);
  };
  return {
    exec: (sql) => whileOpen(() => void engine.exec(sql)),
    all: (sql, params = []) => whileOpen(() => toRows(prepare(sql).all(params))),
    // Always a list: the engine ends the process on bytes as the only argument.
    run: (sql, params = []) => whileOpen(() => prepare(sql).run(params).changes),
    inTransaction: () => !closed && engine.inTransaction,
    close() {
      if (closed) return;
      statements.clear();
      if (engine.inTransaction) engine.exec('rollback');
      closed = true;
      engine.close();
    },
  };
}

/** The engine returns blobs as ArrayBuffer. Our blobs are never null, so that the first row shows them. */
function toRows(found: unknown[]): Row[] {
  const rows = found as Readonly<Record<string, Cell | ArrayBuffer>>[];
  const blobs = Object.entries(rows[0] ?? {}).flatMap(([name, value]) =>
    value instanceof ArrayBuffer ? [name] : [],
  );
  if (blobs.length === 0) return found as Row[];
  return rows.map((row) => {
    const own = { ...row };
    for (const name of blobs) own[name] = new Uint8Array(row[name] as ArrayBuffer);
    return own as Row;
  });
}

/** Maps errors of the engine, whose messages say little and may quote data. */
function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw toCallError(thrown, file);
  }
}

const BUSY = 5;
const LOCKED = 6;

/** By primary result code, because the engine has no name for many extended codes. */
const FAILURES: Readonly<Record<number, (file: string, cause: unknown) => CallError>> = {
  [BUSY]: held,
  [LOCKED]: held,
  7: (file, cause) =>
    new CallError('over_capacity', `There is no memory left for ${file}.`, { cause }),
  8: (file, cause) =>
    new CallError('permission', `${file} cannot be written.`, { fix: CHECK_FOLDER, cause }),
  10: (file, cause) =>
    new CallError('over_capacity', `The disk failed under ${file}.`, {
      fix: 'Check its free space and its health.',
      cause,
    }),
  11: damagedDatabaseError,
  13: (file, cause) =>
    new CallError('over_capacity', `The disk is full; ${file} cannot grow.`, {
      fix: 'Free some space; nothing that was stored is lost.',
      cause,
    }),
  14: (file, cause) =>
    new CallError('permission', `${file} cannot be opened.`, { fix: CHECK_FOLDER, cause }),
  19: (_, cause) =>
    new CallError('conflict', 'The store already holds such a row, or lacks one it refers to.', {
      cause,
    }),
  26: damagedDatabaseError,
};

const CHECK_FOLDER = 'Check that the folder exists and belongs to you.';

/** The request is not at fault, and the same one succeeds when the other program is done. */
function held(file: string, cause: unknown): CallError {
  return new CallError('over_capacity', `Another program holds ${file}.`, {
    fixes: [commandFix(`fuser ${file}`, 'see which program it is'), 'Let it finish, or end it.'],
    cause,
  });
}

/** Whether another connection has a lock that was waited for in vain. */
export function isHeldByOther({ cause }: CallError): boolean {
  const { rawCode = 0 } = (cause ?? {}) as { rawCode?: number };
  return [BUSY, LOCKED].includes(rawCode & 0xff);
}

function toCallError(thrown: unknown, file: string): CallError {
  if (thrown instanceof CallError) return thrown;
  const { rawCode, message = '' } = thrown as { rawCode?: number; message?: string };
  // When a file cannot be opened, only the message contains the code.
  const code = rawCode ?? Number(/Unable to open connection.*: (\d+)/.exec(message)?.[1] ?? 0);
  return FAILURES[code & 0xff]?.(file, thrown) ?? CallError.from(thrown);
}

export function damagedDatabaseError(file: string, cause?: unknown): CallError {
  return codedError('internal', reason('damaged_database', { file }), {
    fixes: [fix('restore_backup')],
    cause,
  });
}

import Libsql from 'libsql';
import { CallError } from '#core/call-error.ts';
import type { Row, Value } from './database.ts';

/** The few calls we make of the engine. Another engine with SQLite's file format would replace this file alone. */
export interface SqliteConnection {
  exec(sql: string): void;
  all(sql: string, params?: readonly Value[]): Row[];
  /** Gives the number of rows touched. */
  run(sql: string, params?: readonly Value[]): number;
  inTransaction(): boolean;
  /**
   * Ends a transaction left open, then lets go. The engine frees statements when they are collected and the file only
   * after them, so a lock must never wait for that.
   */
  close(): void;
}

interface Use {
  readonly pragmas: string;
  /** How long to wait for another process, in milliseconds. */
  readonly patienceMs: number;
}

const USES = {
  // FULL syncs the log at every commit: an acknowledged row survives a power cut, not only a crash.
  write: {
    pragmas: `pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;
      pragma journal_size_limit = 67108864`,
    patienceMs: 5000,
  },
  read: { pragmas: 'pragma query_only = on', patienceMs: 5000 },
  lock: { pragmas: '', patienceMs: 0 },
} as const satisfies Record<string, Use>;

const MAX_STATEMENTS = 256;

export function openSqlite(file: string, use: keyof typeof USES): SqliteConnection {
  return guarded(file, () => {
    const { pragmas, patienceMs } = USES[use];
    const engine = new Libsql(file, { timeout: patienceMs });
    engine.exec(pragmas);
    return toConnection(engine, file);
  });
}

function toConnection(engine: Libsql.Database, file: string): SqliteConnection {
  const statements = new Map<string, Libsql.Statement>();
  const prepare = (sql: string) => {
    const known = statements.get(sql);
    if (known) return known;
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    const made = engine.prepare(sql);
    statements.set(sql, made);
    return made;
  };
  return {
    exec: (sql) => guarded(file, () => void engine.exec(sql)),
    all: (sql, params = []) => guarded(file, () => prepare(sql).all(...params) as Row[]),
    run: (sql, params = []) => guarded(file, () => prepare(sql).run(...params).changes),
    inTransaction: () => engine.inTransaction,
    close() {
      statements.clear();
      if (engine.inTransaction) engine.exec('rollback');
      engine.close();
    },
  };
}

/** The engine's own words say little and may quote data; ours say what to do. */
function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw toCallError(thrown, file);
  }
}

function toCallError(thrown: unknown, file: string): CallError {
  const { code = '', message = '' } = thrown as { code?: string; message?: string };
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return damaged(file, thrown);
  if (code === 'SQLITE_FULL') {
    return new CallError('over_capacity', `The disk is full; ${file} cannot grow.`, {
      fix: 'Free some space; nothing that was stored is lost.',
      cause: thrown,
    });
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new CallError('conflict', `Another program holds ${file}.`, { cause: thrown });
  }
  if (code.startsWith('SQLITE_CONSTRAINT')) {
    return new CallError(
      'conflict',
      'The store already holds such a row, or lacks one it refers to.',
      {
        cause: thrown,
      },
    );
  }
  if (code.startsWith('SQLITE_READONLY') || code === 'SQLITE_PERM') {
    return new CallError('permission', `${file} cannot be written.`, { cause: thrown });
  }
  if (code.startsWith('SQLITE_CANTOPEN') || message.includes('Unable to open connection')) {
    return new CallError('permission', `${file} cannot be opened.`, {
      fix: 'Check that the folder exists and belongs to you.',
      cause: thrown,
    });
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return new CallError('over_capacity', `The disk failed under ${file} (${code}).`, {
      fix: 'Check the free space and the health of the disk.',
      cause: thrown,
    });
  }
  return CallError.from(thrown);
}

export function damaged(file: string, cause?: unknown): CallError {
  return new CallError('internal', `The database ${file} is damaged.`, {
    fix: 'Restore a backup with: exai restore <backup file>',
    cause,
  });
}

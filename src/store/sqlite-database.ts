import { statSync } from 'node:fs';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/telemetry.ts';
import type { ChainWriter } from './audit-chain.ts';
import type { Database, Query } from './database.ts';
import { openSqlite, type SqliteConnection } from './sqlite-connection.ts';
import { createSqliteReader } from './sqlite-reader.ts';
import { createSqliteWriter } from './sqlite-writer.ts';
import { watchWrites } from './write-watch.ts';

/** One writing thread, one connection here for quick reads, one thread for long ones. The file must be migrated. */
export function createSqliteDatabase(options: {
  file: string;
  writer: ChainWriter;
  clock: Clock;
  log: Log;
}): Database {
  const { file } = options;
  const quick = openSqlite(file, 'read');
  const writer = createSqliteWriter(options);
  const reader = createSqliteReader(file, options.clock);
  const opened = identity(file);
  const watch = watchWrites(
    (write) => writer.write(write),
    () => {
      // Writes to a deleted file succeed, and are gone with the process.
      if (identity(file) !== opened) throw moved(file);
    },
  );

  return {
    dialect: 'sqlite',
    read: async (sql, params) => quick.all(sql, params),
    scan: reader.scan,
    write: (write) => watch.writing(writer.write(write)),
    writeSoon: (write) => writer.writeSoon(write),
    snapshot: (work) => snapshotSqlite(file, work),
    health: () => watch.health(),
    async close() {
      await writer.close();
      await reader.close();
      quick.close();
    },
  };
}

function identity(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

function moved(file: string): CallError {
  return new CallError('conflict', `${file} was moved or deleted while the daemon runs.`);
}

/** A read transaction of its own connection: writers go on, this view stays. */
export async function snapshotSqlite<T>(
  file: string,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const view = openSqlite(file, 'read');
  try {
    view.exec('begin');
    return await work(async (sql, params) => view.all(sql, params));
  } finally {
    view.close();
  }
}

/** A connection as the migrations and backups see it. */
export function sqliteQuery(db: SqliteConnection): Query {
  return async (sql, params) => {
    if (READS.test(sql)) return db.all(sql, params);
    db.run(sql, params);
    return [];
  };
}

const READS = /^\s*select\b|\breturning\b/;

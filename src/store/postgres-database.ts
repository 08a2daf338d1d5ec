import { CallError } from '#core/call-error.ts';
import type { Log } from '#core/telemetry.ts';
import { storable, type Database, type Query, type Row, type Write } from './database.ts';
import { createPostgresAudit } from './postgres-audit.ts';
import { createPool, toConnection } from './postgres-connection.ts';
import { runStatements, transaction } from './postgres-transaction.ts';

/** PostgreSQL commits concurrently by itself; only the audit chain is put in line. The schema must be migrated. */
export function createPostgresDatabase(options: {
  url: string;
  writerId: string;
  log: Log;
}): Database {
  const { url, writerId, log } = options;
  const pool = createPool(url);
  const direct = toConnection(pool, url);
  const audit = createPostgresAudit(pool, url, writerId);
  const soon = new Set<Promise<unknown>>();

  const query: Query = async (sql, params = []) =>
    (await direct.run(sql, params.map(storable))).rows;

  async function write({ statements, audit: rows }: Write): Promise<Row[][]> {
    const clean = statements.map((each) => ({ ...each, params: each.params.map(storable) }));
    if (rows)
      return audit.write({ statements: clean, audit: rows.map((row) => row.map(storable)) });
    if (clean.length === 1) return runStatements(direct, clean);
    return transaction(pool, url, (client) => runStatements(toConnection(client, url), clean));
  }

  return {
    dialect: 'postgres',
    read: query,
    scan: query,
    write,
    writeSoon(late) {
      const done = write(late)
        .catch((thrown: unknown) =>
          log.error('store_write_failed', { error: CallError.from(thrown).toJSON() }),
        )
        .finally(() => soon.delete(done));
      soon.add(done);
    },
    snapshot: (work) =>
      transaction(
        pool,
        url,
        (client) => {
          const view = toConnection(client, url);
          return work(async (sql, params) => (await view.run(sql, params)).rows);
        },
        'begin isolation level repeatable read read only',
      ),
    async health() {
      try {
        await query('select 1 as one');
        return { ok: true };
      } catch (thrown) {
        return { ok: false, detail: CallError.from(thrown).message };
      }
    },
    async close() {
      await Promise.all(soon);
      await audit.idle();
      await pool.end();
    },
  };
}

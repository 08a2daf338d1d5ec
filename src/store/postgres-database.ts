import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/telemetry.ts';
import type { Database, Query } from './database.ts';
import { createGroupCommit } from './group-commit.ts';
import { createPostgresAudit } from './postgres-audit.ts';
import { createPool, toConnection } from './postgres-connection.ts';
import { runStatements, SNAPSHOT, transaction } from './postgres-transaction.ts';

/** PostgreSQL commits concurrently by itself; only the audit chain is put in line. The schema must be migrated. */
export function createPostgresDatabase(options: {
  url: string;
  writerId: string;
  clock: Clock;
  log: Log;
}): Database {
  const { url, writerId, clock, log } = options;
  const pool = createPool(url, 'calls');
  const direct = toConnection(pool, url);
  const audit = createGroupCommit(createPostgresAudit(pool, url, writerId), clock, log);

  const query: Query = async (sql, params = []) => (await direct.run(sql, params)).rows;

  return {
    dialect: 'postgres',
    read: query,
    scan: query,
    write(write) {
      if (write.audit) return audit.write(write);
      if (write.statements.length === 1) return runStatements(direct, write.statements);
      return transaction(pool, url, (client) =>
        runStatements(toConnection(client, url), write.statements),
      );
    },
    writeSoon: (write) => audit.writeSoon(write),
    snapshot: (work) =>
      transaction(
        pool,
        url,
        (client) => {
          const view = toConnection(client, url);
          return work(async (sql, params) => (await view.run(sql, params)).rows);
        },
        SNAPSHOT,
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
      await audit.close();
      await pool.end();
    },
  };
}

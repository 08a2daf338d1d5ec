import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/telemetry.ts';
import type { ChainWriter } from './audit-chain.ts';
import type { Database, Query, Row, Write } from './database.ts';
import { createGroupCommit } from './group-commit.ts';
import { createPostgresAudit } from './postgres-audit.ts';
import { createPool, toConnection } from './postgres-connection.ts';
import { runStatements, SNAPSHOT, transaction } from './postgres-transaction.ts';
import { watchWrites } from './write-watch.ts';

/** PostgreSQL commits concurrently by itself; only what every call writes is put in line. The schema must be migrated. */
export function createPostgresDatabase(options: {
  url: string;
  writer: ChainWriter;
  clock: Clock;
  log: Log;
}): Database {
  const { url, writer, clock, log } = options;
  const pool = createPool(url, 'calls');
  const direct = toConnection(pool, url);
  const audit = createGroupCommit(createPostgresAudit(pool, url, writer), clock, log);

  const query: Query = async (sql, params = []) => (await direct.run(sql, params)).rows;

  function write(each: Write): Promise<Row[][]> {
    const { statements } = each;
    if (each.audit ?? each.spent) return audit.write(each);
    if (statements.length === 1) return runStatements(direct, statements);
    return transaction(pool, url, (client) => runStatements(toConnection(client, url), statements));
  }

  const watch = watchWrites(write, async () => {
    await query('select max(version) as version from schema_versions');
  });

  return {
    dialect: 'postgres',
    read: query,
    scan: query,
    write: (each) => watch.writing(write(each)),
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
    health: () => watch.health(),
    async close() {
      await audit.close();
      await pool.end();
    },
  };
}

import { createHash } from 'node:crypto';
import type pg from 'pg';
import { CallError } from '#core/errors/call-error.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import {
  insertLinks,
  link,
  readChainHead,
  type ChainHead,
  type ChainWriter,
} from '../audit/chain.ts';
import { laterHead, openHeadFile, type HeadFile } from '../audit/head-file.ts';
import type { Database, Row, UsageRows, Value, Write } from '../database.ts';
import {
  createGroupCommit,
  isStatementError,
  type CommitBatch,
  type CommitOutcome,
} from '../group-commit.ts';
import {
  createPostgresPool,
  runStatements,
  runTransaction,
  SCAN_FACTOR,
  STATEMENT_MS,
  SNAPSHOT,
  toPostgresConnection,
  toSingleStatements,
  type PoolConnect,
  type PostgresConnection,
} from './connection.ts';
import { createPatientConnect, wasCutOff, wasDeadlocked } from './lost-connection.ts';
import { insertUsageRows } from '../tables/usage-rows.ts';
import { trackWriteHealth } from '../write-health.ts';

/**
 * The PostgreSQL database. It commits concurrently; only writes with audit rows are serialized. The
 * schema must be migrated.
 */
export function createPostgresDatabase(options: {
  url: string;
  writer: ChainWriter;
  clock: Clock;
  log: Log;
  /** Default: 8 seconds. */
  statementMs?: number;
}): Database {
  const { url, writer, clock, log, statementMs = STATEMENT_MS } = options;
  const scanMs = SCAN_FACTOR * statementMs;
  const pool = createPostgresPool(url, 'calls', statementMs);
  const connect = createPatientConnect(pool, {
    clock,
    isDown: () => watch.failure() !== undefined,
  });
  const single = toSingleStatements(connect, url);
  const { headFile, writerId } = writer;
  const heads = headFile === undefined ? undefined : openHeadFile(headFile, writerId);
  const onLoss = (lost: AuditRange) => log.error('audit_rows_lost', { writer: writerId, ...lost });
  const commitAudit = createPostgresAudit(connect, url, { writer, heads, onLoss });
  const audit = createGroupCommit(commitAudit, clock, log);

  function write(each: Write): Promise<Row[][]> {
    const { statements } = each;
    if (each.audit ?? each.usageRows) return audit.write(each);
    if (each.bulk === true) {
      return runTransaction(
        connect,
        url,
        (client) => runStatements(toPostgresConnection(client, url), statements),
        { begin: BEGIN_BULK, repeat: 'lost' },
      );
    }
    if (statements.length === 1) return single.write(statements);
    return runTransaction(
      connect,
      url,
      (client) => runStatements(toPostgresConnection(client, url), statements),
      { repeat: 'lost' },
    );
  }

  const watch = trackWriteHealth(
    write,
    async () => {
      await single.query('select max(version) as version from schema_versions');
    },
    wasCutOff,
  );

  return {
    dialect: 'postgres',
    read: (sql, params) => watch.reading(single.query(sql, params)),
    scan: (sql, params) => watch.reading(single.query(sql, params, scanMs)),
    write: (each) => watch.writing(write(each)),
    writeLazily: (write) => audit.writeLazily(write),
    snapshot: (work) =>
      runTransaction(
        connect,
        url,
        (client) => {
          const view = toPostgresConnection(client, url);
          return work(async (sql, params) => (await view.run(sql, params, scanMs)).rows);
        },
        { begin: SNAPSHOT },
      ),
    health: () => watch.health(),
    failure: () => watch.failure(),
    damage: () => undefined,
    checkPages: async () => undefined,
    async close() {
      await audit.close();
      heads?.close();
      await pool.end();
    },
  };
}

interface AuditRange {
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** The commit does not wait for the disk; the next one that does syncs the log up to itself. */
const BEGIN_BULK = 'begin; set local synchronous_commit = off';

/**
 * Locks the chain, in case two daemons share a copied home. It is sent with `begin` to save a round
 * trip.
 */
function beginLocked(writerId: string): string {
  const chain = createHash('sha256').update(writerId).digest().readInt32BE();
  return `begin; select pg_advisory_xact_lock(8765002, ${chain})`;
}

/**
 * Commits writes with audit and usage rows, batched and in order, because the hash of each audit
 * row needs the previous one.
 */
export function createPostgresAudit(
  connect: PoolConnect,
  url: string,
  {
    writer,
    heads,
    onLoss,
  }: {
    writer: ChainWriter;
    heads?: Pick<HeadFile, 'record'> | undefined;
    /** The database lost rows that it had acknowledged, such as a standby that lagged behind. */
    onLoss?: (lost: AuditRange) => void;
  },
): CommitBatch {
  const { writerId } = writer;
  /** The end of the chain as far as it is known to be durable. */
  let reached = writer.after;
  const begin = beginLocked(writerId);
  /** Of the commit that runs. */
  let lastLink: ChainHead | undefined;
  const commit: CommitBatch = async (writes) => {
    lastLink = undefined;
    try {
      const { outcomes, last } = await runTransaction(
        connect,
        url,
        (client) => commitIn(client, writes),
        { begin, repeat: 'lost', wasCommitted },
      );
      // Only after the commit: the recorded head is never ahead of the database.
      if (last) {
        reached = last;
        heads?.record(last);
      }
      return outcomes;
    } catch (thrown) {
      const error = CallError.from(thrown);
      // One invalid row failed the batch: committed one by one, it fails only its own write.
      if (!isStatementError(error) || writes.length === 1) throw error;
      const outcomes: CommitOutcome[] = [];
      for (const write of writes) outcomes.push(await alone(write));
      return outcomes;
    }
  };

  async function alone(write: Write): Promise<CommitOutcome> {
    try {
      const [outcome] = await commit([write]);
      return outcome ?? { error: CallError.from(undefined).toJSON() };
    } catch (thrown) {
      return { error: CallError.from(thrown).toJSON() };
    }
  }

  /** The chain shows it; commits run one after the other. */
  async function wasCommitted(client: pg.PoolClient): Promise<boolean> {
    if (!lastLink) throw UNKNOWN_COMMIT;
    const { seq, hash } = lastLink;
    const sql = 'select 1 as found from calls where writer_id = ? and seq = ? and hash = ?';
    const { rows } = await toPostgresConnection(client, url).run(sql, [writerId, seq, hash]);
    return rows.length > 0;
  }

  /** The head, read every time: a daemon with the same home may have moved it. */
  async function head(connection: PostgresConnection): Promise<ChainHead> {
    const found = await readChainHead(
      async (sql, params = []) => (await connection.run(sql, params)).rows,
      writerId,
    );
    if (reached && reached !== writer.after && found.seq < reached.seq)
      onLoss?.({ fromSeq: found.seq + 1, toSeq: reached.seq });
    return laterHead(found, reached);
  }

  async function commitIn(
    client: pg.PoolClient,
    writes: readonly Write[],
  ): Promise<{ outcomes: CommitOutcome[]; last?: ChainHead | undefined }> {
    const connection = toPostgresConnection(client, url);
    const audit: (readonly Value[])[] = [];
    const usageRows: UsageRows[] = [];
    const outcomes: CommitOutcome[] = [];
    for (const write of writes) {
      const outcome = await attempt(client, url, write);
      outcomes.push(outcome);
      if ('error' in outcome) continue;
      audit.push(...(write.audit ?? []));
      if (write.usageRows) usageRows.push(write.usageRows);
    }
    for (const { sql, params } of insertUsageRows(usageRows)) await connection.run(sql, params);
    if (audit.length === 0) return { outcomes };
    const links = link(writer, await head(connection), audit);
    lastLink = links.at(-1);
    for (const { sql, params } of insertLinks(writerId, links)) await connection.run(sql, params);
    return { outcomes, last: links.at(-1) };
  }

  return commit;
}

/** Usage without a call has no link: it is kept in memory, and compared with what is stored later. */
const UNKNOWN_COMMIT = new CallError(
  'network',
  'The connection to PostgreSQL broke while a write was committed.',
  { cause: { code: 'ECONNRESET' } },
);

async function attempt(client: pg.PoolClient, url: string, write: Write): Promise<CommitOutcome> {
  if (write.statements.length === 0) return { rows: [] };
  await client.query('savepoint attempt');
  try {
    const rows = await runStatements(toPostgresConnection(client, url), write.statements);
    await client.query('release attempt');
    return { rows };
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'network' || wasDeadlocked(error)) throw error;
    await client.query('rollback to attempt; release attempt');
    return { error: error.toJSON() };
  }
}

import { createHash } from 'node:crypto';
import type pg from 'pg';
import { CallError } from '#core/call-error.ts';
import {
  insertLinks,
  link,
  readChainHead,
  type ChainHead,
  type ChainWriter,
} from './audit-chain.ts';
import type { Spent, Value, Write } from './database.ts';
import { isOwnFault, type Commit, type Outcome } from './group-commit.ts';
import { toConnection, type PostgresConnection } from './postgres-connection.ts';
import { insertSpent } from './spent-rows.ts';
import { runStatements, transaction } from './postgres-transaction.ts';

/** One writer at a time per chain, should two daemons share a copied home. Taken with the begin: one way less. */
function beginLocked(writerId: string): string {
  const chain = createHash('sha256').update(writerId).digest().readInt32BE();
  return `begin; select pg_advisory_xact_lock(8765002, ${chain})`;
}

/**
 * Commits writes that carry audit rows, and what calls spent: together and in line, because the hash of each audit row needs
 * the one before it.
 */
export function createPostgresAudit(pool: pg.Pool, url: string, writer: ChainWriter): Commit {
  const { writerId } = writer;
  const begin = beginLocked(writerId);
  const commit: Commit = async (writes) => {
    try {
      return await transaction(pool, url, (client) => commitIn(client, writes), begin);
    } catch (thrown) {
      const error = CallError.from(thrown);
      // A row that its table refuses has spoiled the batch: one by one, it spoils only its own write.
      if (!isOwnFault(error) || writes.length === 1) throw error;
      const outcomes: Outcome[] = [];
      for (const write of writes) outcomes.push(await alone(write));
      return outcomes;
    }
  };

  async function alone(write: Write): Promise<Outcome> {
    try {
      const [outcome] = await commit([write]);
      return outcome ?? { error: CallError.from(undefined).toJSON() };
    } catch (thrown) {
      return { error: CallError.from(thrown).toJSON() };
    }
  }

  /** Asked every time: a restore, or a daemon with the same home, may have moved it. */
  function head(connection: PostgresConnection): Promise<ChainHead> {
    return readChainHead(
      async (sql, params = []) => (await connection.run(sql, params)).rows,
      writerId,
    );
  }

  async function commitIn(client: pg.PoolClient, writes: readonly Write[]): Promise<Outcome[]> {
    const connection = toConnection(client, url);
    const audit: (readonly Value[])[] = [];
    const spent: Spent[] = [];
    const outcomes: Outcome[] = [];
    for (const write of writes) {
      const outcome = await attempt(client, url, write);
      outcomes.push(outcome);
      if ('error' in outcome) continue;
      audit.push(...(write.audit ?? []));
      if (write.spent) spent.push(write.spent);
    }
    for (const { sql, params } of insertSpent(spent)) await connection.run(sql, params);
    if (audit.length === 0) return outcomes;
    const links = link(writer, await head(connection), audit);
    for (const { sql, params } of insertLinks(writerId, links)) await connection.run(sql, params);
    return outcomes;
  }

  return commit;
}

async function attempt(client: pg.PoolClient, url: string, write: Write): Promise<Outcome> {
  if (write.statements.length === 0) return { rows: [] };
  await client.query('savepoint attempt');
  try {
    const rows = await runStatements(toConnection(client, url), write.statements);
    await client.query('release attempt');
    return { rows };
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'network') throw error;
    await client.query('rollback to attempt; release attempt');
    return { error: error.toJSON() };
  }
}

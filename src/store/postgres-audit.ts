import type pg from 'pg';
import { CallError } from '#core/call-error.ts';
import { CHAIN_HEAD_SQL, insertLinks, link, toChainHead, type ChainHead } from './audit-chain.ts';
import type { Row, Value, Write } from './database.ts';
import { runStatements, transaction } from './postgres-transaction.ts';
import { toConnection } from './postgres-connection.ts';

const MAX_WRITES_PER_COMMIT = 1024;
const MAX_TRIES = 5;

type Outcome = { rows: Row[][] } | { error: CallError };

interface Waiting {
  readonly write: Write;
  readonly done: (outcome: Outcome) => void;
}

/** Writes that carry audit rows go one commit at a time, because each row's hash needs the one before it. */
export function createPostgresAudit(pool: pg.Pool, url: string, writerId: string) {
  let queue: Waiting[] = [];
  let running: Promise<void> | undefined;
  /** Unknown after a failure: the commit may or may not have happened, so the table is asked. */
  let head: ChainHead | undefined;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_WRITES_PER_COMMIT);
      const outcomes = await commit(batch).catch((thrown: unknown) => {
        const error = CallError.from(thrown);
        return batch.map((): Outcome => ({ error }));
      });
      batch.forEach(({ done }, index) => done(outcomes[index] ?? { error: LOST }));
    }
    running = undefined;
  }

  async function commit(batch: readonly Waiting[]): Promise<Outcome[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await commitOnce(batch);
      } catch (thrown) {
        head = undefined;
        // Another daemon with a copy of this home extends the same chain: link behind its rows instead.
        if (!(thrown instanceof CallError) || thrown.class !== 'conflict' || tries === MAX_TRIES)
          throw thrown;
      }
    }
  }

  function commitOnce(batch: readonly Waiting[]): Promise<Outcome[]> {
    return transaction(pool, url, async (client) => {
      const connection = toConnection(client, url);
      const from = (head ??= toChainHead(
        (await connection.run(CHAIN_HEAD_SQL, [writerId, writerId])).rows,
      ));
      const audit: (readonly Value[])[] = [];
      const outcomes: Outcome[] = [];
      for (const { write } of batch) {
        const outcome = await attempt(client, url, write);
        if ('rows' in outcome) audit.push(...(write.audit ?? []));
        outcomes.push(outcome);
      }
      const chain = link(writerId, from, audit);
      for (const { sql, params } of insertLinks(writerId, chain.links))
        await connection.run(sql, params);
      return { outcomes, chain };
    }).then(({ outcomes, chain }) => {
      head = chain.head;
      return outcomes;
    });
  }

  return {
    write(write: Write): Promise<Row[][]> {
      return new Promise((resolve, reject) => {
        queue.push({
          write,
          done: (outcome) => ('rows' in outcome ? resolve(outcome.rows) : reject(outcome.error)),
        });
        running ??= drain();
      });
    },
    async idle(): Promise<void> {
      await running;
    },
  };
}

const LOST = new CallError('internal', 'A write got no outcome.');

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
    return { error };
  }
}

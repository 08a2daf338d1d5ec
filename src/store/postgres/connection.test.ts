import pg from 'pg';
import { describe, expect, inject } from 'vitest';
import { makeStoreHome } from '../../../test/stores.ts';
import { verifies } from '../../../test/verifies.ts';
import { createPostgresPool, runTransaction, toSingleStatements } from './connection.ts';

async function withDatabase(work: (url: string, other: pg.Client) => Promise<void>): Promise<void> {
  const home = await makeStoreHome('postgres');
  const other = new pg.Client({ connectionString: home.database });
  // A failed test may leave it waiting for a lock when the database is dropped.
  other.on('error', () => undefined);
  await other.connect();
  try {
    // The other one waits for as long as it takes: the server ends ours.
    await other.query(`set deadlock_timeout = '1h'`);
    await other.query('create table totals (name text primary key, total int not null)');
    await other.query(`insert into totals values ('a', 0), ('b', 0)`);
    await work(home.database, other);
  } finally {
    await other.end();
    await home.remove();
  }
}

const add = (name: string, amount: number) =>
  `update totals set total = total + ${amount} where name = '${name}'`;

async function totals(url: string): Promise<unknown> {
  const pool = createPostgresPool(url, 'calls');
  try {
    const { query } = toSingleStatements(() => pool.connect(), url);
    return await query('select name, total from totals order by name');
  } finally {
    await pool.end();
  }
}

describe.skipIf(inject('postgresUrl') === '')('a deadlock with another daemon', () => {
  verifies(
    'store:restart-unseen',
    'the transaction that the server undid runs again, and both are stored',
    async () => {
      await withDatabase(async (url, other) => {
        const pool = createPostgresPool(url, 'calls');
        let runs = 0;
        let another: Promise<unknown> = Promise.resolve();
        const ours = runTransaction(
          () => pool.connect(),
          url,
          async (client) => {
            runs += 1;
            await client.query(add('a', 1));
            if (runs === 1) {
              await other.query('begin');
              await other.query(add('b', 10));
              another = other.query(add('a', 10)).then(() => other.query('commit'));
              const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock'`;
              await expect
                .poll(async () => (await client.query(waiting)).rows.length)
                .toBeGreaterThan(0);
            }
            await client.query(add('b', 1));
          },
          { repeat: 'lost' },
        );
        await ours;
        await another;
        await pool.end();
        expect(runs).toBe(2);
        expect(await totals(url)).toEqual([
          { name: 'a', total: 11 },
          { name: 'b', total: 11 },
        ]);
      });
    },
  );
});

import type pg from 'pg';
import { CallError } from '#core/call-error.ts';
import type { Row, Statement } from './database.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { toCallError } from './postgres-errors.ts';

/** How a transaction begins that only looks, at one unchanging view. */
export const SNAPSHOT = 'begin isolation level repeatable read read only';

/** Runs `work` between begin and commit. A connection that failed in the middle is thrown away, not reused. */
export async function transaction<T>(
  pool: pg.Pool,
  url: string,
  work: (client: pg.PoolClient) => Promise<T>,
  begin = 'begin',
): Promise<T> {
  const client = await pool.connect().catch((thrown: unknown) => {
    throw toCallError(thrown, url);
  });
  let broken: Error | undefined;
  // Without a listener, a server that goes away between two statements would take the process down.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (thrown) {
    const error = toCallError(thrown, url);
    if (error.class === 'network') broken = error;
    else await client.query('rollback').catch((failed: Error) => (broken = failed));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

export async function runStatements(
  connection: PostgresConnection,
  statements: readonly Statement[],
): Promise<Row[][]> {
  const results: Row[][] = [];
  for (const { sql, params, orElse } of statements) {
    const { rows, touched } = await connection.run(sql, params);
    if (orElse && touched === 0) throw CallError.fromJSON(orElse);
    results.push(rows);
  }
  return results;
}

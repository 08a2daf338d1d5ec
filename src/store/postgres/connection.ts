import { createHash } from 'node:crypto';
import pg from 'pg';
import { createBoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Cell, Row, Statement } from '../database.ts';
import { toPostgresError } from './errors.ts';

export interface PostgresConnection {
  /** The returned rows and the number of changed rows. */
  run(sql: string, params?: readonly Cell[]): Promise<{ rows: Row[]; touched: number }>;
}

const INT8 = 20;
// Parses bigint as number: every stored number is a safe integer, and pg returns text by default.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8
      ? Number
      : (pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown),
};

// A call must not wait forever for a lock or a lost peer; a backup has no time limit.
const QUERY_TIMEOUTS = {
  calls: {
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 60_000,
  },
  maintenance: {},
} as const;

export function createPostgresPool(url: string, use: keyof typeof QUERY_TIMEOUTS): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withLibpqModes(url),
    max: 10,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'exai',
    types,
    ...QUERY_TIMEOUTS[use],
  });
  // A broken idle connection is replaced; the next query shows whether the server is back.
  pool.on('error', () => undefined);
  return pool;
}

/**
 * TLS options for `sslmode` as in psql: `require` encrypts, `verify-full` also checks the server's
 * identity.
 */
function withLibpqModes(url: string): string {
  if (!/[?&]sslmode=/.test(url) || url.includes('uselibpqcompat=')) return url;
  return `${url}&uselibpqcompat=true`;
}

export function toPostgresConnection(
  client: pg.Pool | pg.PoolClient,
  url: string,
): PostgresConnection {
  return {
    async run(sql, params = []) {
      try {
        const { name, text } = prepared(sql);
        const result = await client.query<Row>({ name, text, values: [...params] });
        return { rows: result.rows, touched: result.rowCount ?? 0 };
      } catch (thrown) {
        throw toPostgresError(thrown, url);
      }
    },
  };
}

const MAX_STATEMENTS = 512;
const known = createBoundedMap<string, { name: string; text: string }>({
  maxEntries: MAX_STATEMENTS,
});

/** Replaces `?` by `$1`, `$2`, …; the name lets the server cache the parsed statement. */
function prepared(sql: string): { name: string; text: string } {
  const found = known.get(sql);
  if (found) return found;
  let count = 0;
  const text = sql.replaceAll('?', () => `$${++count}`);
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
  const made = { name, text };
  known.set(sql, made);
  return made;
}

/** Begins a read-only transaction on one snapshot. */
export const SNAPSHOT = 'begin isolation level repeatable read read only';

/** Runs `work` in a transaction. A connection that fails in the middle is discarded. */
export async function runTransaction<T>(
  pool: pg.Pool,
  url: string,
  work: (client: pg.PoolClient) => Promise<T>,
  begin = 'begin',
): Promise<T> {
  const client = await pool.connect().catch((thrown: unknown) => {
    throw toPostgresError(thrown, url);
  });
  let broken: Error | undefined;
  // Without a listener, a lost server between two statements would end the process.
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
    const error = toPostgresError(thrown, url);
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
  for (const { sql, params, errorIfNoRows } of statements) {
    const { rows, touched } = await connection.run(sql, params);
    if (errorIfNoRows && touched === 0) throw CallError.fromJSON(errorIfNoRows);
    results.push(rows);
  }
  return results;
}

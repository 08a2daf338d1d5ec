import { createHash } from 'node:crypto';
import pg from 'pg';
import { createBoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Cell, Row, Statement } from '../database.ts';
import { toPostgresError } from './errors.ts';
import { hadNoEffect, isConnectionLost, wasDeadlocked } from './lost-connection.ts';

export interface PostgresConnection {
  /** The returned rows and the number of changed rows. */
  run(
    sql: string,
    params?: readonly Cell[],
    timeoutMs?: number,
  ): Promise<{ rows: Row[]; touched: number }>;
}

const INT8 = 20;
// Parses bigint as number: every stored number is a safe integer, and pg returns text by default.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8
      ? Number
      : (pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown),
};

const POOL_SIZE = 10;
/** All connections of the pool may be broken, and one that is made after that, too. */
const MAX_TRIES = POOL_SIZE + 2;

/** How long a statement of a call may take. */
export const STATEMENT_MS = 8000;
/** A query over many rows, or a statement within a snapshot, may take longer by this factor. */
export const SCAN_FACTOR = 4;

// A call must not wait forever for a lock or a lost peer; a backup has no time limit. The server keeps its own limits only
// while it runs: `query_timeout` is the driver's, for a server that is frozen or cut off.
const QUERY_TIMEOUTS = {
  calls: {
    statement_timeout: 30_000,
    lock_timeout: 6000,
    idle_in_transaction_session_timeout: 60_000,
  },
  maintenance: {},
} as const;

export function createPostgresPool(
  url: string,
  use: keyof typeof QUERY_TIMEOUTS,
  statementMs = STATEMENT_MS,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withLibpqModes(url),
    max: POOL_SIZE,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'exai',
    types,
    ...QUERY_TIMEOUTS[use],
    ...(use === 'calls' && { query_timeout: statementMs }),
  });
  // A broken idle connection is replaced; the next query shows whether the server is back.
  pool.on('error', () => undefined);
  // The server may end a connection in the moment in which the pool gives it out; without a listener that ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
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

/** Takes a connection of a pool. */
export type PoolConnect = () => Promise<pg.PoolClient>;

export function toPostgresConnection(
  client: Pick<pg.PoolClient, 'query'>,
  url: string,
): PostgresConnection {
  return {
    async run(sql, params = [], timeoutMs) {
      try {
        const { name, text } = prepared(sql);
        const limit = timeoutMs === undefined ? undefined : { query_timeout: timeoutMs };
        const result = await client.query<Row>({ name, text, values: [...params], ...limit });
        return { rows: result.rows, touched: result.rowCount ?? 0 };
      } catch (thrown) {
        throw toPostgresError(thrown, url);
      }
    },
  };
}

/**
 * Single statements, each on a connection of the pool, and again on others while they break without an effect; a query has
 * none.
 */
export function toSingleStatements(connect: PoolConnect, url: string) {
  async function once<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const client = await connect().catch((thrown: unknown) => {
      throw toPostgresError(thrown, url);
    });
    let broken: Error | undefined;
    // The statement fails with the same error; without a listener it would end the process.
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      return await work(toPostgresConnection(client, url));
    } catch (thrown) {
      const error = CallError.from(thrown);
      if (error.class === 'network') broken = error;
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  async function run<T>(
    work: (connection: PostgresConnection) => Promise<T>,
    mayRepeat: (error: CallError) => boolean,
  ): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await once(work);
      } catch (thrown) {
        if (tries === MAX_TRIES || !mayRepeat(CallError.from(thrown))) throw thrown;
      }
    }
  }

  return {
    query: (sql: string, params: readonly Cell[] = [], timeoutMs?: number) =>
      run(
        async (connection) => (await connection.run(sql, params, timeoutMs)).rows,
        isConnectionLost,
      ),
    write: (statements: readonly Statement[]) =>
      run((connection) => runStatements(connection, statements), hadNoEffect),
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

export interface TransactionOptions {
  readonly begin?: string;
  /**
   * `lost`: `work` runs again on another connection if one broke before `commit` was sent, and after
   * a deadlock.
   */
  readonly repeat?: 'lost' | 'never';
  /** Whether the transaction is stored whose connection broke while it was committed. */
  readonly wasCommitted?: (client: pg.PoolClient) => Promise<boolean>;
}

/** Runs `work` in a transaction. A connection that fails in the middle is discarded. */
export async function runTransaction<T>(
  connect: PoolConnect,
  url: string,
  work: (client: pg.PoolClient) => Promise<T>,
  { begin = 'begin', repeat = 'never', wasCommitted }: TransactionOptions = {},
): Promise<T> {
  let perhaps: { readonly result: T } | undefined;
  async function workUnlessStored(client: pg.PoolClient): Promise<T> {
    if (perhaps && (await wasCommitted?.(client))) return perhaps.result;
    return work(client);
  }
  for (let tries = 1; ; tries += 1) {
    const outcome = await tryTransaction(connect, url, workUnlessStored, begin);
    if (outcome.is === 'committed') return outcome.result;
    if (outcome.is === 'failed' || repeat === 'never' || tries === MAX_TRIES) throw outcome.error;
    if (outcome.is === 'unknown') {
      if (!wasCommitted) throw outcome.error;
      perhaps = { result: outcome.result };
    }
  }
}

type TransactionOutcome<T> =
  | { readonly is: 'committed'; readonly result: T }
  /** The connection broke before `commit` was sent, or a deadlock ended: nothing was written. */
  | { readonly is: 'lost'; readonly error: CallError }
  /** It broke after that. */
  | { readonly is: 'unknown'; readonly result: T; readonly error: CallError }
  | { readonly is: 'failed'; readonly error: CallError };

async function tryTransaction<T>(
  connect: PoolConnect,
  url: string,
  work: (client: pg.PoolClient) => Promise<T>,
  begin: string,
): Promise<TransactionOutcome<T>> {
  let client: pg.PoolClient;
  try {
    client = await connect();
  } catch (thrown) {
    return { is: 'failed', error: toPostgresError(thrown, url) };
  }
  let broken: Error | undefined;
  let done: { readonly result: T } | undefined;
  // Without a listener, a lost server between two statements would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query(begin);
    done = { result: await work(client) };
    await client.query('commit');
    return { is: 'committed', result: done.result };
  } catch (thrown) {
    const error = toPostgresError(thrown, url);
    if (error.class === 'network') broken = error;
    else await client.query('rollback').catch((failed: Error) => (broken = failed));
    if (wasDeadlocked(error)) return { is: 'lost', error };
    if (!isConnectionLost(error)) return { is: 'failed', error };
    return done ? { is: 'unknown', result: done.result, error } : { is: 'lost', error };
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

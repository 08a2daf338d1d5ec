import { createHash } from 'node:crypto';
import pg from 'pg';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Row, Value } from './database.ts';
import { toCallError } from './postgres-errors.ts';

export interface PostgresConnection {
  /** Gives the rows returned and how many were touched. */
  run(sql: string, params?: readonly Value[]): Promise<{ rows: Row[]; touched: number }>;
}

const INT8 = 20;
// Every number we store fits a double to the unit; as text, as pg gives them by default, they would not compare.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8
      ? Number
      : (pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown),
};

// A call must never wait for ever behind a lock or a lost peer; a backup may take as long as it takes.
const PATIENCE = {
  calls: {
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 60_000,
  },
  maintenance: {},
} as const;

export function createPool(url: string, use: keyof typeof PATIENCE): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withLibpqModes(url),
    max: 10,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'exai',
    types,
    ...PATIENCE[use],
  });
  // An idle connection that breaks is simply replaced; whoever asks next learns whether the server is back.
  pool.on('error', () => undefined);
  return pool;
}

/** `sslmode` as psql understands it: `require` encrypts, `verify-full` also checks whom it talks to. */
function withLibpqModes(url: string): string {
  if (!/[?&]sslmode=/.test(url) || url.includes('uselibpqcompat=')) return url;
  return `${url}&uselibpqcompat=true`;
}

export function toConnection(client: pg.Pool | pg.PoolClient, url: string): PostgresConnection {
  return {
    async run(sql, params = []) {
      try {
        const { name, text } = prepared(sql);
        const result = await client.query<Row>({ name, text, values: [...params] });
        return { rows: result.rows, touched: result.rowCount ?? 0 };
      } catch (thrown) {
        throw toCallError(thrown, url);
      }
    },
  };
}

const MAX_STATEMENTS = 512;
const known = createBoundedMap<string, { name: string; text: string }>({
  maxEntries: MAX_STATEMENTS,
});

/** `?` becomes `$1`, `$2`, …; the name lets the server keep the parsed statement. */
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

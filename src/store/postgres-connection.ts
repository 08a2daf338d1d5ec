import { createHash } from 'node:crypto';
import pg from 'pg';
import { CallError } from '#core/call-error.ts';
import type { Row, Value } from './database.ts';

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

export function createPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'exai',
    types,
  });
  // An idle connection that breaks is simply replaced; whoever asks next learns whether the server is back.
  pool.on('error', () => undefined);
  return pool;
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

const known = new Map<string, { name: string; text: string }>();

/** `?` becomes `$1`, `$2`, …; the name lets the server keep the parsed statement. */
function prepared(sql: string): { name: string; text: string } {
  const found = known.get(sql);
  if (found) return found;
  let count = 0;
  const text = sql.replaceAll('?', () => `$${++count}`);
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
  const made = { name, text };
  if (known.size < 512) known.set(sql, made);
  return made;
}

/** Where the server is, without the password. */
export function serverName(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname || 'localhost'}:${port || '5432'}${pathname}`;
  } catch {
    // Such as a URL with a socket folder, which only PostgreSQL's own parser reads.
    return 'the configured server';
  }
}

const UNREACHABLE = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ENOENT)|^(08|57P)/;

export function toCallError(thrown: unknown, url: string): CallError {
  if (thrown instanceof CallError) return thrown;
  const { code = '', message = '' } = thrown as { code?: string; message?: string };
  const server = `PostgreSQL at ${serverName(url)}`;
  if (UNREACHABLE.test(code) || /terminated|timeout exceeded|Connection ended/i.test(message)) {
    return new CallError('network', `${server} cannot be reached (${code || 'no answer'}).`, {
      fix: 'Start it, or correct `database`; see: exai config show --origin',
      cause: thrown,
    });
  }
  if (code.startsWith('28')) {
    return new CallError('auth', `${server} refuses the user or the password.`, {
      field: 'database',
      cause: thrown,
    });
  }
  if (code === '3D000') {
    return new CallError('not_found', `${server} has no such database.`, {
      field: 'database',
      fix: 'Create it with: createdb',
      cause: thrown,
    });
  }
  if (code === '42501') {
    return new CallError('permission', `${server} does not let this user do that.`, {
      cause: thrown,
    });
  }
  if (code.startsWith('53')) {
    return new CallError('over_capacity', `${server} is out of room or connections.`, {
      cause: thrown,
    });
  }
  if (code.startsWith('23')) {
    return new CallError(
      'conflict',
      'The store already holds such a row, or lacks one it refers to.',
      {
        cause: thrown,
      },
    );
  }
  return CallError.from(thrown);
}

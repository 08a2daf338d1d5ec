import { CallError, type ErrorFacts } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { commandFix, fix, type Fix } from '#core/messages/fixes.ts';

interface Row {
  /**
   * Matched against the error code of the server, the system or TLS, or else the driver's message.
   */
  readonly when: RegExp;
  readonly class: ErrorClass;
  readonly message: (server: string, code: string) => string;
  readonly fixes?: (url: string) => readonly (Fix | string)[];
}

const CHECK_URL = fix('correct_setting', { setting: 'database' });
const SHOW_URL = commandFix('exai config show --origin', 'see where it is set');

/** Errors of PostgreSQL and its driver, with messages for people; the first matching row wins. */
const FAILURES: readonly Row[] = [
  {
    when: /does not support SSL/,
    class: 'validation',
    message: (server) => `${server} does not speak TLS.`,
    fixes: () => ['Leave out sslmode, or turn TLS on at the server.'],
  },
  {
    when: /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS|sslrootcert/,
    class: 'auth',
    message: (server, code) =>
      `The certificate of ${server} cannot be trusted (${code || 'no authority given'}).`,
    fixes: () => ['Name its authority with sslrootcert=<file> in the URL, or use sslmode=require.'],
  },
  {
    when: /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ENOENT)|^(08|57P)|terminated|timeout exceeded|read timeout|not queryable|Connection ended/i,
    class: 'network',
    message: (server, code) => `${server} cannot be reached (${code || 'no answer'}).`,
    fixes: () => ['Start it.', CHECK_URL, SHOW_URL],
  },
  {
    when: /^57014$|^55P03$/,
    class: 'timeout',
    message: (server) => `${server} took too long, or the rows are locked.`,
  },
  {
    when: /^40/,
    class: 'over_capacity',
    message: (server) => `${server} undid a write that conflicted with others.`,
    fixes: () => [fix('retry')],
  },
  {
    when: /^28/,
    class: 'auth',
    message: (server) => `${server} refuses the user or the password.`,
    fixes: () => [CHECK_URL, SHOW_URL],
  },
  {
    when: /^3D000$/,
    class: 'not_found',
    message: (server) => `${server} has no such database.`,
    fixes: (url) => [commandFix(createdb(url), 'create it')],
  },
  {
    when: /^42501$/,
    class: 'permission',
    message: (server) => `${server} does not let this user make or use its tables.`,
    fixes: () => ['As its owner: grant create, usage on schema public to that user.'],
  },
  {
    when: /^53/,
    class: 'over_capacity',
    message: (server) => `${server} is out of room, memory or connections.`,
    fixes: () => ['Free some, or raise max_connections.'],
  },
  {
    // A standby after a failover: the driver finds the new primary server with the next connections.
    when: /^25006$/,
    class: 'network',
    message: (server) => `${server} is read-only.`,
    fixes: () => [fix('set_setting', { setting: 'database', value: 'the primary server' })],
  },
  {
    when: /^22/,
    class: 'validation',
    message: () => 'The store cannot hold such a value.',
  },
  {
    when: /^23/,
    class: 'conflict',
    message: () => 'The store already holds such a row, or lacks one it refers to.',
  },
];

export function toPostgresError(thrown: unknown, url: string): CallError {
  if (thrown instanceof CallError) return thrown;
  const { code = '', message = '' } = thrown as { code?: string; message?: string };
  const row = FAILURES.find(({ when }) => when.test(code) || (!code && when.test(message)));
  if (!row) return CallError.from(thrown);
  const facts: ErrorFacts = { cause: thrown, ...(row.fixes && { fixes: row.fixes(url) }) };
  return new CallError(row.class, row.message(`PostgreSQL at ${serverName(url)}`, code), facts);
}

/** The address of the server, without user and password. */
export function serverName(url: string): string {
  const { host, port, database } = placeOf(url);
  return `${host}:${port}/${database}`;
}

function createdb(url: string): string {
  const { host, port, user, database } = placeOf(url);
  return `createdb -h ${host} -p ${port}${user === '' ? '' : ` -U ${user}`} ${database}`;
}

/**
 * Parsed by hand, because a URL with a socket folder (`postgres://user@/db?host=/run/…`) is invalid
 * for the standard parser.
 */
function placeOf(url: string) {
  const [, user = '', host = '', port = '5432', database = ''] =
    /^\w+:\/\/(?:([^:@/]*)(?::[^@/]*)?@)?(\[[^\]]*\]|[^:/?]*)(?::(\d+))?(?:\/([^?]*))?/.exec(url) ??
    [];
  const folder = /[?&]host=([^&]*)/.exec(url)?.[1];
  return {
    user: decoded(user),
    host: host || (folder === undefined ? 'localhost' : decoded(folder)),
    port,
    database: decoded(database) || decoded(user),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray `%`: shown unchanged.
    return text;
  }
}

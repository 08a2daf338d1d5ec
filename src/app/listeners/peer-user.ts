import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import type { PeerUser, TcpConnection } from '#core/auth/authenticator.ts';

/**
 * The kernel's TCP socket tables. A client may connect to an IPv4 address with a socket of either
 * family.
 */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const ROOT = 0;

export interface PeerUserOptions {
  readonly platform: NodeJS.Platform;
  /** The user of this process. */
  readonly uid: number | undefined;
  /** The text of a kernel table; rejects if there is none. */
  readonly readTable: (path: string) => Promise<string>;
}

const THIS_PROCESS: PeerUserOptions = {
  platform: process.platform,
  uid: process.getuid?.(),
  readTable: (path) => readFile(path, 'latin1'),
};

/**
 * Finds the user whose program is at the other end of a loopback connection. Linux lists the user
 * of every socket; other systems do not. The result is cached per connection, so that further
 * requests cost nothing.
 */
export function createPeerUser(
  options: PeerUserOptions = THIS_PROCESS,
): (connection: TcpConnection | undefined) => Promise<PeerUser> {
  const known = new WeakMap<TcpConnection, Promise<PeerUser>>();
  const tables = sharedRead(() => readTables(options));
  return (connection) => {
    if (options.platform !== 'linux' || options.uid === undefined) {
      return Promise.resolve('unsupported');
    }
    if (!connection) return Promise.resolve('other');
    let user = known.get(connection);
    if (!user) known.set(connection, (user = lookUp(connection, options.uid, tables)));
    return user;
  };
}

async function lookUp(
  { remoteAddress, remotePort, localAddress, localPort }: TcpConnection,
  uid: number,
  readTables: () => Promise<readonly string[]>,
): Promise<PeerUser> {
  // The peer's socket: its local end is our remote end.
  const locals = spellings(remoteAddress, remotePort);
  const remotes = spellings(localAddress, localPort);
  const ends = locals.flatMap((local, family) => ` ${local} ${remotes[family] ?? ''} `);
  for (const table of await readTables()) {
    for (const each of ends) {
      const owner = ownerOf(table, each);
      if (owner !== undefined) return owner === uid || owner === ROOT ? 'same' : 'other';
    }
  }
  return 'other';
}

/** A kernel without IPv6 has no second table. */
function readTables({ readTable }: PeerUserOptions): Promise<readonly string[]> {
  return Promise.all(TABLES.map((path) => readTable(path).catch(() => '')));
}

/**
 * Shares reads: requests during a read share the next one, which starts after their connections
 * exist. The tables grow with the connections, so reading them for each would take quadratic time.
 */
function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const start = (): Promise<T> => {
    next = undefined;
    const reading = read().finally(() => {
      if (current === reading) current = undefined;
    });
    current = reading;
    return reading;
  };
  return () => {
    if (!current) return start();
    next ??= current.then(start, start);
    return next;
  };
}

/** The user of the socket with these ends; undefined if no program holds it. */
function ownerOf(table: string, ends: string): number | undefined {
  const at = table.indexOf(ends);
  if (at === -1) return undefined;
  // local, remote, state, queues, timer, retransmits, user, timeout, inode
  const fields = table.slice(at + 1, table.indexOf('\n', at)).split(/ +/);
  // A socket closed by its program has no inode, and lists root as its user.
  return fields[8] === '0' ? undefined : Number(fields[6]);
}

/**
 * A loopback address and port as the kernel prints them, for IPv4 and IPv6; empty for any other
 * address.
 */
function spellings(address = '', port = 0): string[] {
  const end = `:${hex([port >> 8, port & 0xff])}`;
  if (address === '::1') return [`${'0'.repeat(24)}${word([0, 0, 0, 1])}${end}`];
  const ipv4 = address.replace(/^::ffff:/i, '');
  if (!isIPv4(ipv4)) return [];
  const bytes = word(ipv4.split('.').map(Number));
  const mapped = `${'0'.repeat(16)}${word([0, 0, 0xff, 0xff])}${bytes}`;
  return [`${bytes}${end}`, `${mapped}${end}`];
}

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Addresses are printed as 32-bit words in the byte order of the machine. */
function word(bytes: readonly number[]): string {
  return hex(IS_LITTLE_ENDIAN ? bytes.toReversed() : bytes);
}

function hex(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}

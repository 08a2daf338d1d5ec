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
  const tables = TABLES.map((path) => sharedRead(() => readTable(path, options)));
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
  tables: readonly (() => Promise<SocketTable>)[],
): Promise<PeerUser> {
  // The peer's socket: its local end is our remote end.
  const locals = spellings(remoteAddress, remotePort);
  const remotes = spellings(localAddress, localPort);
  const ends = locals.flatMap((local, family) => ` ${local} ${remotes[family] ?? ''} `);
  // One after the other: nearly all connections are in the first, and reading one costs a millisecond.
  for (const read of tables) {
    const table = await read();
    for (const each of ends) {
      const owner = table.ownerOf(each);
      if (owner !== undefined) return owner === uid || owner === ROOT ? 'same' : 'other';
    }
  }
  return 'other';
}

/** A kernel without IPv6 has no second table. */
async function readTable(path: string, options: PeerUserOptions): Promise<SocketTable> {
  return createSocketTable(await options.readTable(path).catch(() => ''));
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

interface SocketTable {
  /** The user of the socket with these ends; undefined if no program holds it. */
  ownerOf(ends: string): number | undefined;
}

/** Searching for more sockets takes longer than reading the table once. */
const SEARCHES = 16;

function createSocketTable(text: string): SocketTable {
  let searched = 0;
  let lines: ReadonlyMap<string, string> | undefined;
  return {
    ownerOf(ends) {
      searched += 1;
      if (searched > SEARCHES) lines ??= linesByEnds(text);
      const line = lines ? lines.get(ends) : lineOf(text, ends);
      if (line === undefined) return undefined;
      // local, remote, state, queues, timer, retransmits, user, timeout, inode
      const fields = line.split(/ +/);
      // A socket closed by its program has no inode, and lists root as its user.
      return fields[8] === '0' ? undefined : Number(fields[6]);
    },
  };
}

function lineOf(text: string, ends: string): string | undefined {
  const at = text.indexOf(ends);
  return at === -1 ? undefined : text.slice(at + 1, text.indexOf('\n', at));
}

/** The lines from the local address on, by both addresses. */
function linesByEnds(text: string): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  for (const line of text.split('\n')) {
    const from = line.indexOf(': ') + 2;
    const to = line.indexOf(' ', line.indexOf(' ', from) + 1);
    const ends = ` ${line.slice(from, to)} `;
    if (from > 1 && !lines.has(ends)) lines.set(ends, line.slice(from));
  }
  return lines;
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

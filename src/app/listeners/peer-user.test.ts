import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createPeerUser } from './peer-user.ts';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const CONNECTION = {
  remoteAddress: '127.0.0.1',
  remotePort: 0x9d85,
  localAddress: '127.0.0.1',
  localPort: 0x223d,
};

/** A line of /proc/net/tcp: the client's socket, and ours before it. */
function table(uid: number, inode: number, client = '0100007F:9D85', server = '0100007F:223D') {
  const line = (local: string, remote: string, user: number, node: number) =>
    `   1: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000 ${String(user).padStart(5)}        0 ${node} 1 0000000000000000 20 4 30 10 -1\n`;
  return `${HEAD}${line(server, client, 1000, 7)}${line(client, server, uid, inode)}`;
}

function userBy(tables: Readonly<Record<string, string>>, connection: object = CONNECTION) {
  return createPeerUser({
    platform: 'linux',
    uid: 1000,
    readTable: async (path) => tables[path] ?? Promise.reject(new Error('ENOENT')),
  })(connection);
}

verifies(
  'security:token-opt-out',
  'the program at the other end is of the same user, of root, or of another one',
  async () => {
    const tcp = '/proc/net/tcp';
    expect(await userBy({ [tcp]: table(1000, 9) })).toBe('same');
    expect(await userBy({ [tcp]: table(0, 9) })).toBe('same');
    expect(await userBy({ [tcp]: table(1001, 9) })).toBe('other');
    expect(await userBy({ [tcp]: HEAD })).toBe('other');
    expect(await userBy({})).toBe('other');
  },
);

verifies(
  'security:token-opt-out',
  'a socket closed by its program has no user, although the kernel names root',
  async () => {
    expect(await userBy({ '/proc/net/tcp': table(0, 0) })).toBe('other');
  },
);

test('a client may use a socket of IPv6', async () => {
  const mapped = (end: string) => `0000000000000000FFFF0000${end}`;
  const text = table(1000, 9, mapped('0100007F:9D85'), mapped('0100007F:223D'));
  expect(await userBy({ '/proc/net/tcp6': text })).toBe('same');
  const connection = { ...CONNECTION, remoteAddress: '::1', localAddress: '::1' };
  const loopback = (port: string) => `00000000000000000000000001000000:${port}`;
  const six = table(1001, 9, loopback('9D85'), loopback('223D'));
  expect(await userBy({ '/proc/net/tcp6': six }, connection)).toBe('other');
});

test('an address beyond loopback, or a closed connection, has no user', async () => {
  const text = table(1000, 9);
  const far = { ...CONNECTION, remoteAddress: '2001:db8::1', localAddress: '2001:db8::2' };
  expect(await userBy({ '/proc/net/tcp': text }, far)).toBe('other');
  expect(await userBy({ '/proc/net/tcp': text }, {})).toBe('other');
});

test('the first table is read once per connection, and the second only where that lacks it', async () => {
  let reads = 0;
  const peerUser = createPeerUser({
    platform: 'linux',
    uid: 1000,
    async readTable() {
      reads += 1;
      return reads < 3 ? table(1000, 9) : HEAD;
    },
  });
  for (let n = 0; n < 3; n += 1) expect(await peerUser(CONNECTION)).toBe('same');
  expect(reads).toBe(1);
  expect(await peerUser({ ...CONNECTION })).toBe('same');
  expect(reads).toBe(2);
  expect(await peerUser({ ...CONNECTION })).toBe('other');
  expect(reads).toBe(4);
});

test('concurrent connections share a read that starts after they exist', async () => {
  let reads = 0;
  const held: (() => void)[] = [];
  const peerUser = createPeerUser({
    platform: 'linux',
    uid: 1000,
    async readTable(path) {
      if (path !== '/proc/net/tcp') return HEAD;
      reads += 1;
      const isLate = reads > 1;
      if (!isLate) await new Promise<void>((resolve) => held.push(resolve));
      return isLate ? table(1000, 9) : HEAD;
    },
  });
  const first = peerUser({ ...CONNECTION });
  const others = Array.from({ length: 50 }, () => peerUser({ ...CONNECTION }));
  for (const release of held) release();
  expect(await first).toBe('other');
  expect(new Set(await Promise.all(others))).toEqual(new Set(['same']));
  expect(reads).toBe(2);
});

test('where the system has no tables, none is read', async () => {
  const peerUser = createPeerUser({
    platform: 'darwin',
    uid: 501,
    readTable: () => Promise.reject(new Error('never read')),
  });
  expect(await peerUser(CONNECTION)).toBe('unsupported');
});

test.each(['127.0.0.1', '::1'])('a real connection to %s is of the same user', async (host) => {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(0, host);
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, host);
  const [socket] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    client.destroy();
    socket.destroy();
  });
  const expected = process.platform === 'linux' ? 'same' : 'unsupported';
  expect(await createPeerUser()(socket)).toBe(expected);
});

import { once } from 'node:events';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import {
  ask,
  clientFrame,
  closeOf,
  connectWs,
  dial,
  HANDSHAKE,
  nextMessage,
  startWsServer,
  until,
  type RecordedSession,
} from './ws-server.fixture.ts';

const MIB = 1024 * 1024;

/** The head of a frame that announces so much. */
function headOf(length: number, first = 0x81): Buffer {
  const head = Buffer.alloc(14);
  head[0] = first;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

async function connectUnauthenticated(port: number) {
  const socket = await dial(port);
  await once(socket, 'data');
  return socket;
}

/** The code of the close frame that comes next. */
async function closeCode(
  socket: Awaited<ReturnType<typeof connectUnauthenticated>>,
): Promise<number> {
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.readUInt16BE(2);
}

verifies('security:newcomers', 'a large frame is refused by its head alone', async () => {
  const { port, server, counted, logged, clock, sessions } = await startWsServer({
    identified: 'late',
    maxFrameBytes: 32 * MIB,
  });
  const socket = await connectUnauthenticated(port);
  socket.write(headOf(32 * MIB - 1));
  expect(await closeCode(socket)).toBe(1009);
  // What is still sent is thrown away, and not for long.
  socket.write(Buffer.alloc(4 * MIB));
  clock.advance(1000);
  await until(() => server.size === 0);
  expect([counted, logged]).toEqual([['exai_ws_dropped_total too_large'], ['ws_dropped']]);
  expect(sessions[0]).toMatchObject({ messages: [], closes: 1 });
});

const ONE = Buffer.from('x');
const times = (count: number, frame: Buffer) => Array.from({ length: count }, () => frame);
/** The same frame, as one that others follow. */
const open = (frame: Buffer) =>
  Buffer.concat([Buffer.of((frame[0] ?? 0) & 0x0f), frame.subarray(1)]);
const PART = Buffer.concat([headOf(16_000, 0x00), Buffer.alloc(16_000, 0x61)]);

test.each([
  ['fragments that add up to too much', [open(clientFrame(1, ONE)), ...times(5, PART)], 1009],
  [
    'many small fragments',
    [open(clientFrame(1, ONE)), ...times(70, open(clientFrame(0, ONE)))],
    1008,
  ],
  ['many pings', times(70, clientFrame(9, ONE)), 1008],
  ['many pongs', times(70, clientFrame(10, ONE)), 1008],
])('%s before the hello end the connection', async (_, frames, code) => {
  const { port, server, clock, counted } = await startWsServer({ identified: 'late' });
  const socket = await connectUnauthenticated(port);
  const heard: Buffer[] = [];
  socket.on('data', (data: Buffer) => void heard.push(data));
  socket.write(Buffer.concat(frames));
  await until(() => codesIn(heard).includes(code));
  clock.advance(1000);
  await until(() => server.size === 0);
  expect(counted).toHaveLength(1);
});

/** Long enough for whatever is under way on this machine to be seen. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Of the close frames among what came. */
function codesIn(heard: readonly Buffer[]): number[] {
  const all = Buffer.concat(heard);
  const codes: number[] = [];
  for (let at = 0; at + 4 <= all.length; at += 2 + ((all[at + 1] ?? 0) & 0x7f)) {
    if (all[at] === 0x88) codes.push(all.readUInt16BE(at + 2));
  }
  return codes;
}

test('a hello in a few fragments is taken', async () => {
  const { port } = await startWsServer({ identified: 'late' });
  const client = await connectWs(port);
  const answer = nextMessage(client);
  client.send('hel', { fin: false });
  client.ping();
  client.send('lo', { fin: true });
  expect(await answer).toBe('hello');
});

test('a large message may follow the first at once', async () => {
  const { port, sessions } = await startWsServer({
    identified: 'late',
    behave: (session: RecordedSession) => ({
      onMessage(text: string) {
        session.messages.push(text.slice(0, 5));
        session.channel.identified?.('local');
      },
    }),
  });
  const socket = await connectUnauthenticated(port);
  const large = Buffer.concat([headOf(500_000), Buffer.alloc(500_000, 0x61)]);
  socket.write(Buffer.concat([clientFrame(1, Buffer.from('hello')), large]));
  await until(() => sessions[0]?.messages.length === 2);
  expect(sessions[0]?.messages).toEqual(['hello', 'aaaaa']);
});

test('a caller that was refused cannot send on and on', async () => {
  const { port, server, clock, counted } = await startWsServer({
    identified: 'late',
    behave: ({ channel }) => ({ onMessage: () => channel.close(4003, 'unauthorized') }),
  });
  const socket = await connectUnauthenticated(port);
  socket.write(clientFrame(1, Buffer.from('hello')));
  expect(await closeCode(socket)).toBe(4003);
  socket.write(Buffer.concat([headOf(MIB), Buffer.alloc(MIB - 1, 0x61)]));
  await until(() => counted.length === 1);
  clock.advance(1000);
  await until(() => server.size === 0);
  expect(counted).toEqual(['exai_ws_dropped_total too_large']);
});

test('nothing more is read until the caller is known, and then everything', async () => {
  let identify = () => {};
  const { port, sessions, receiveBuffers } = await startWsServer({
    identified: 'late',
    maxFrameBytes: 32 * MIB,
    behave: (session: RecordedSession) => ({
      onMessage(message) {
        session.messages.push(typeof message === 'string' ? message : 'large');
        identify = () => session.channel.identified?.('local');
      },
    }),
  });
  const client = await connectWs(port);
  client.send('hello');
  await until(() => sessions[0]?.messages.length === 1);
  client.send('large'.padEnd(16 * MIB, 'x'));
  client.send('after');
  await turns();
  expect([sessions[0]?.messages, receiveBuffers.totalBytes]).toEqual([['hello'], 0]);
  expect(client.bufferedAmount).toBeGreaterThan(MIB);
  identify();
  await until(() => sessions[0]?.messages.length === 3);
  expect([sessions[0]?.messages, receiveBuffers.totalBytes]).toEqual([
    ['hello', 'large', 'after'],
    0,
  ]);
});

verifies(
  'security:newcomers',
  'silent sockets give way to one that sends a hello, which then stays',
  async () => {
    const { port, server, counted } = await startWsServer({
      identified: 'late',
      maxPendingConnections: 8,
      behave: ({ channel }) => ({
        onMessage(text: string) {
          channel.identified?.('local');
          channel.send(text);
        },
      }),
    });
    const silent = [];
    for (let n = 0; n < 8; n++) silent.push(await connectWs(port));
    const evicted = closeOf(silent[0] ?? expect.unreachable());
    const honest = await connectWs(port);
    expect(await ask(honest, 'hello')).toBe('hello');
    expect(await evicted).toMatchObject({ code: 1013 });
    for (let n = 0; n < 20; n++) await connectWs(port);
    await until(() => server.size === 9);
    expect(await ask(honest, 'still here')).toBe('still here');
    expect(counted.filter((each) => each === 'exai_ws_dropped_total over_capacity')).toHaveLength(
      20,
    );
  },
);

verifies(
  'security:newcomers',
  'a token in the upgrade is looked at before the answer',
  async () => {
    const { port, server, sessions } = await startWsServer({
      identified: 'late',
      maxPendingConnections: 1,
    });
    const bearing = (token: string) => [...HANDSHAKE, `Authorization: Bearer ${token}`];
    const wrong = await dial(port, bearing('wrong'));
    const [refused] = (await once(wrong, 'data')) as [Buffer];
    expect(refused.toString()).toMatch(/^HTTP\/1\.1 401 .*"class":"auth"/s);
    const right = await connectWs(port, { headers: { authorization: 'Bearer low' } });
    for (let n = 0; n < 3; n++) await connectWs(port);
    await until(() => server.size === 2);
    const text = 'x'.repeat(200_000);
    expect(await ask(right, text)).toBe(text);
    expect(sessions.map(({ opening }) => opening.token)[0]).toBe('low');
  },
);

test('a peer that disconnects while its token is checked does no harm', async () => {
  const answers: (() => void)[] = [];
  const { port, server } = await startWsServer({
    identify: () => new Promise((resolve) => answers.push(() => resolve({ principal: 'low' }))),
  });
  const socket = await dial(port, [...HANDSHAKE, 'Authorization: Bearer low']);
  await until(() => answers.length === 1);
  socket.resetAndDestroy();
  await turns();
  answers[0]?.();
  await turns();
  expect(server.size).toBe(0);
});

test('a client has at most half of the connections, and the owner all', async () => {
  const { port, server } = await startWsServer({ identified: 'late', maxConnections: 4 });
  const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  for (let n = 0; n < 2; n++) await connectWs(port, bearing('low'));
  const third = await connectWs(port, bearing('low'));
  expect(await closeOf(third)).toMatchObject({ code: 1013 });
  for (let n = 0; n < 2; n++) await connectWs(port, bearing('a secret'));
  expect(server.size).toBe(4);
});

import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { ask, clientFrame, connectWs, dial, startWsServer, until } from './ws-server.fixture.ts';

const MIB = 1024 * 1024;
/** More than half of what there is in the test. */
const PART_BYTES = 600 * 1024;

/** All but the last byte of a frame. */
function unfinished(length: number): Buffer {
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(length - 1, 0x61)]);
}

test('a message in parts is counted until it is complete', async () => {
  const { port, sessions, receiveBuffers } = await startWsServer({
    behave: (session) => ({ onMessage: (text: string) => void session.messages.push(text) }),
  });
  const socket = await dial(port);
  await once(socket, 'data');
  socket.write(unfinished(MIB));
  await until(() => receiveBuffers.totalBytes >= MIB);
  expect(receiveBuffers.totalBytes).toBeLessThan(2 * MIB);
  socket.write('a');
  await until(() => sessions[0]?.messages.length === 1);
  expect(receiveBuffers.totalBytes).toBe(0);
});

test('a socket that goes gives back what it held', async () => {
  const { port, receiveBuffers, server } = await startWsServer();
  const socket = await dial(port);
  await once(socket, 'data');
  socket.write(unfinished(MIB));
  await until(() => receiveBuffers.totalBytes >= MIB);
  socket.destroy();
  await until(() => server.size === 0);
  expect(receiveBuffers.totalBytes).toBe(0);
});

verifies(
  'security:unfinished',
  'messages in parts share their memory, and one that has stalled gives way',
  async () => {
    const { port, server, counted, receiveBuffers, clock } = await startWsServer({
      maxArrivingBytes: MIB,
    });
    const stalled = await dial(port);
    await once(stalled, 'data');
    stalled.write(unfinished(PART_BYTES));
    await until(() => receiveBuffers.totalBytes >= PART_BYTES);
    const early = await dial(port);
    await once(early, 'data');
    early.write(unfinished(PART_BYTES));
    const [refused] = (await once(early, 'data')) as [Buffer];
    expect(refused.readUInt16BE(2)).toBe(1013);
    clock.advance(1000);
    await until(() => server.size === 1);
    const told = once(stalled, 'data');
    const text = 'x'.repeat(PART_BYTES);
    expect(await ask(await connectWs(port), text)).toBe(text);
    expect(((await told) as [Buffer])[0].readUInt16BE(2)).toBe(1013);
    expect(counted).toEqual([
      'exai_ws_dropped_total over_capacity',
      'exai_ws_dropped_total timeout',
    ]);
  },
);

test('small fragments count by what they cost, not by their size', async () => {
  const { port, receiveBuffers } = await startWsServer();
  const socket = await dial(port);
  await once(socket, 'data');
  const [first, next] = [clientFrame(1, Buffer.from('x')), clientFrame(0, Buffer.from('x'))];
  for (const frame of [first, next]) frame[0] = (frame[0] ?? 0) & 0x0f;
  socket.write(Buffer.concat([first, ...Array.from({ length: 4000 }, () => next)]));
  await until(() => receiveBuffers.totalBytes >= 4000 * 256);
  expect(socket.bytesWritten).toBeLessThan(100_000);
});

verifies(
  'security:unfinished',
  'a client that pings and never reads cannot make the daemon grow',
  async () => {
    const sockets: Duplex[] = [];
    const { port } = await startWsServer({ onUpgrade: (socket) => void sockets.push(socket) });
    const deaf = await dial(port);
    await once(deaf, 'data');
    deaf.pause();
    const pings = Buffer.concat(
      Array.from({ length: 10_000 }, () => clientFrame(9, Buffer.alloc(100, 0x61))),
    );
    const other = await connectWs(port);
    let most = 0;
    for (let round = 0; round < 60; round++) {
      if (deaf.writableLength < MIB) deaf.write(pings);
      await ask(other, 'are you there?');
      most = Math.max(most, sockets[0]?.writableLength ?? 0);
    }
    expect(most).toBeLessThan(4 * MIB);
    expect(deaf.writableLength).toBeGreaterThan(0);
  },
);

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { dial, startWsServer, until } from './ws-server.fixture.ts';

const MIB = 1024 * 1024;
const SOCKETS = 20;

/** Buffer memory after garbage collection. */
async function bufferBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** All but the last byte of a frame. */
function unfinished(length: number): Buffer {
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(length - 1, 0x61)]);
}

verifies('security:unfinished', 'what a socket held is given back when it goes', async () => {
  const { port, server, receiveBuffers, sessions } = await startWsServer();
  const clients: Socket[] = [];
  const before = await bufferBytes();
  for (let round = 1; round <= 3; round++) {
    for (let n = 1; n <= SOCKETS; n++) {
      const socket = await dial(port);
      clients.push(socket);
      await once(socket, 'data');
      socket.write(unfinished(MIB));
      await until(() => receiveBuffers.totalBytes >= n * MIB);
    }
    for (const socket of clients.splice(0)) socket.destroy();
    await until(() => server.size === 0);
    // Of the test's own.
    sessions.splice(0);
  }
  // Buffers are given back beside the main thread.
  await expect.poll(async () => (await bufferBytes()) - before).toBeLessThan(4 * MIB);
});

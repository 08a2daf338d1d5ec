import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { connectTcp } from './connect/open-socket.ts';
import { get, httpFor, realClock, serveRaw } from './net.fixture.ts';
import { createConnectionPool } from './connection-pool.ts';
import { readTarget } from './target.ts';

const answer = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

/** A server that sends more bytes after each complete response. */
async function chatty(more: (socket: Socket) => void) {
  let connections = 0;
  return await serveRaw((socket) => {
    const connection = (connections += 1);
    let requests = 0;
    socket.on('data', () => {
      requests += 1;
      socket.write(answer(`${connection}.${requests}`));
      more(socket);
    });
  });
}

test.each<[string, (socket: Socket) => void]>([
  ['at once', (socket) => void socket.write(answer('stale'))],
  ['a moment later', (socket) => void setImmediate(() => socket.write(answer('stale')))],
  ['in two pieces', (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-')],
  ['as nonsense', (socket) => void socket.write('\0')],
])('an answer that nobody asked for, %s, is nobody’s answer', async (_, more) => {
  const server = await chatty(more);
  const http = httpFor();
  const answers: string[] = [];
  for (let round = 1; round <= 4; round += 1) {
    const response = await http.send(get(server.url));
    answers.push(await response.text(100));
    // The connection stays idle until its extra bytes are noticed.
    const socket = server.sockets.at(-1);
    await expect.poll(() => socket?.destroyed).toBe(true);
  }
  expect(answers).toEqual(['1.1', '2.1', '3.1', '4.1']);
});

test('nor when the next request is there already', async () => {
  const server = await chatty((socket) => void socket.write(answer('stale')));
  const http = httpFor({ maxConnections: 1 });
  const sends = Array.from({ length: 8 }, async () => {
    const response = await http.send(get(server.url));
    return await response.text(100);
  });
  expect(await Promise.all(sends)).toEqual(
    Array.from({ length: 8 }, (_, index) => `${index + 1}.1`),
  );
});

test('bytes that arrived and were not read yet spoil a connection as well', async () => {
  const server = await chatty(() => undefined);
  const { Client } = await import('undici');
  const target = readTarget(server.url);
  const dialled: Socket[] = [];
  const pool = createConnectionPool(target, {
    Client,
    clock: realClock,
    maxConnections: 1,
    pathPrefix: '',
    proxyAuthorization: undefined,
    async dial({ host, port }, signal) {
      const socket = await connectTcp([{ address: host, family: 4 }], port, signal);
      dialled.push(socket);
      return socket;
    },
  });
  onTestFinished(() => pool.close(new CallError('interrupted', 'over')));
  const first = await pool.send(get(server.url), target);
  expect(await first.text(100)).toBe('1.1');
  dialled[0]?.push(answer('stale'));
  const second = await pool.send(get(server.url), target);
  expect(await second.text(100)).toBe('2.1');
  expect([dialled.length, dialled[0]?.destroyed]).toEqual([2, true]);
});

test('a connection without further bytes is kept', async () => {
  const server = await chatty(() => undefined);
  const http = httpFor();
  for (const expected of ['1.1', '1.2', '1.3']) {
    const response = await http.send(get(server.url));
    expect(await response.text(100)).toBe(expected);
  }
});

import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Channel, Session } from '../channel.ts';
import { createReceiveBuffers, MAX_RECEIVE_BUFFER_BYTES } from '../http/receive-buffers.ts';
import { createUnixServer, type UnixServerOptions } from './unix-server.ts';

interface Visitor {
  readonly channel: Channel;
  readonly lines: string[];
  readonly events: string[];
}

/** A server whose sessions record their events; `answer` handles a line. */
async function startUnixServer(
  answer: (line: string, channel: Channel) => void,
  changes: Partial<UnixServerOptions> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'exai-door-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'daemon.sock');
  const clock = createFakeClock();
  const visitors: Visitor[] = [];
  const waiting: (() => void)[] = [];
  let sessions = 0;
  const note = () => {
    for (const check of waiting) check();
  };
  const server = await createUnixServer({
    path,
    clock,
    log: createListLog(),
    maxFrameBytes: 1_048_576,
    maxConnections: 100,
    receiveBuffers: createReceiveBuffers({ maxBytes: MAX_RECEIVE_BUFFER_BYTES, clock }),
    newSession: () => `s${++sessions}`,
    removeStale: (stale) => rmSync(stale, { force: true }),
    openSession(channel) {
      const visitor: Visitor = { channel, lines: [], events: [] };
      visitors.push(visitor);
      const happens = (event: string) => {
        visitor.events.push(event);
        note();
      };
      const session: Session = {
        onMessage(line: string) {
          visitor.lines.push(line);
          answer(line, channel);
          note();
        },
        onEnd: () => happens('end'),
        onClose: () => happens('close'),
        drain: () => Promise.resolve(happens('drain')),
        interrupt: () => happens('interrupt'),
      };
      note();
      return session;
    },
    ...changes,
  });
  onTestFinished(() => server.drain(0).finally(() => clock.advance(0)));
  /** Resolves as soon as an event makes the condition true. */
  const until = (isTrue: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => void (isTrue() && resolve());
      waiting.push(check);
      check();
    });
  const enter = async (): Promise<Socket> => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { server, path, clock, visitors, until, enter };
}

function textOf(socket: Socket) {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return {
    async until(part: string): Promise<string> {
      while (!text.includes(part)) await once(socket, 'data');
      return text;
    },
    get text() {
      return text;
    },
  };
}

const echo = (line: string, channel: Channel) => channel.send(line);

verifies('door:unix', 'the socket file is for its owner alone from the first moment', async () => {
  const { path } = await startUnixServer(echo);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
});

test('a removed socket file is made again, and its clients stay connected', async () => {
  const { server, path, visitors, enter, until } = await startUnixServer(echo);
  const before = await enter();
  await until(() => visitors.length === 1);
  rmSync(path);
  await server.reopen();
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  const after = await enter();
  for (const socket of [before, after]) {
    const text = textOf(socket);
    socket.write('hello\n');
    expect(await text.until('hello')).toContain('hello');
  }
  expect(server.size).toBe(2);
});

test('a socket file is not made again where its folder is gone, or after a drain', async () => {
  const { server, path } = await startUnixServer(echo);
  rmSync(dirname(path), { recursive: true });
  await server.reopen();
  expect(existsSync(path)).toBe(false);
  mkdirSync(dirname(path));
  await server.reopen();
  expect(statSync(path).isSocket()).toBe(true);
  await server.drain(0);
  await server.reopen();
  expect(existsSync(path)).toBe(false);
});

test('a drain also closes a server that is just being opened again', async () => {
  const { server, path } = await startUnixServer(echo);
  rmSync(path);
  await Promise.all([server.reopen(), server.drain(0)]);
  expect(existsSync(path)).toBe(false);
});

test('the umask of the process is left as it was', async () => {
  const before = process.umask();
  await startUnixServer(echo);
  expect(process.umask()).toBe(before);
});

test('what a killed daemon left at the path is taken away', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'exai-door-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'daemon.sock');
  writeFileSync(path, '');
  await startUnixServer(echo, { path });
  expect(statSync(path).isSocket()).toBe(true);
});

test('a path where another program listens is refused with a reason', async () => {
  const { path } = await startUnixServer(echo);
  const second = startUnixServer(echo, { path, removeStale: () => undefined });
  await expect(second).rejects.toMatchObject({ class: 'conflict' });
});

verifies('door:unix', 'a message is a line both ways, also in pieces of a character', async () => {
  const { enter } = await startUnixServer(echo);
  const socket = await enter();
  const received = textOf(socket);
  const bytes = Buffer.from('{"a":"grüße 🎉"}\n{"b":1}\n');
  for (const byte of bytes) {
    socket.write(Uint8Array.of(byte));
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  expect(await received.until('"b"')).toBe(bytes.toString());
});

verifies(
  'transports:large',
  'a large line is parsed in steps, and the others keep their order',
  async () => {
    const messages: unknown[] = [];
    const { enter } = await startUnixServer(echo, {
      maxFrameBytes: 8 * 1024 * 1024,
      openSession: (channel) => ({
        onMessage(message) {
          messages.push(typeof message === 'string' ? message : message.value);
          channel.send(String(messages.length));
        },
        onEnd: () => channel.close(1000, ''),
        onClose: () => undefined,
        drain: () => Promise.resolve(),
        interrupt: () => undefined,
      }),
    });
    const socket = await enter();
    const ended = once(socket, 'end');
    const value = { text: 'é\n'.repeat(1_500_000) };
    socket.end(`first\n${JSON.stringify(value)}\nsecond\n${' '.repeat(5_000_000)}x\nthird\n`);
    socket.resume();
    await ended;
    expect(messages).toEqual(['first', value, 'second', undefined, 'third']);
  },
);

test('answers of one turn leave together', async () => {
  const { enter } = await startUnixServer((line, channel) => {
    for (let i = 0; i < 100; i++) channel.send(`${line}${i}`);
  });
  const socket = await enter();
  const received = textOf(socket);
  let chunks = 0;
  socket.on('data', () => chunks++);
  socket.write('x\n');
  expect((await received.until('x99\n')).split('\n')).toHaveLength(101);
  expect(chunks).toBe(1);
});

verifies(
  'door:unix',
  'a line over the limit is one typed error and the next line is served',
  async () => {
    const { enter, visitors } = await startUnixServer(echo, { maxFrameBytes: 33_554_432 });
    const socket = await enter();
    const received = textOf(socket);
    const mebibyte = Buffer.alloc(1_048_576, 'x');
    for (let i = 0; i < 33; i++) {
      if (!socket.write(mebibyte)) await once(socket, 'drain');
    }
    socket.write('\n{"next":true}\n');
    const lines = (await received.until('next')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { jsonrpc: '2.0', id: null, error: { code: -31054, data: { error_class: 'too_large' } } },
      { next: true },
    ]);
    expect(visitors[0]?.lines).toEqual(['{"next":true}']);
  },
);

test('who only stops sending still gets answers; the session ends the connection', async () => {
  const { enter, visitors, until } = await startUnixServer(() => undefined);
  const socket = await enter();
  const received = textOf(socket);
  socket.end('ask\n');
  await until(() => visitors[0]?.events.includes('end') ?? false);
  visitors[0]?.channel.send('answer');
  visitors[0]?.channel.close(1000, '');
  await once(socket, 'end');
  expect(received.text.trim()).toBe('answer');
  await until(() => visitors[0]?.events.includes('close') ?? false);
  expect(visitors[0]?.events).toEqual(['end', 'close']);
});

test('who is gone altogether is noticed at once, not at the next answer', async () => {
  const { enter, visitors, until } = await startUnixServer(() => undefined);
  const socket = await enter();
  socket.write('ask\n');
  await until(() => visitors[0]?.lines.length === 1);
  socket.destroy();
  await until(() => visitors[0]?.events.includes('close') ?? false);
  expect(visitors[0]?.events.filter((event) => event === 'close')).toEqual(['close']);
});

test('of one who does not read nothing more is taken, and after a while the connection is given up', async () => {
  const block = 'y'.repeat(65_536);
  const { enter, visitors, until, clock, server } = await startUnixServer((_line, channel) =>
    channel.send(block),
  );
  const socket = await enter();
  socket.pause();
  for (let i = 0; i < 200_000; i++) socket.write('ask\n');
  await until(() => visitors[0]?.channel.isClear === false);
  await clock.untilWaiting();
  const taken = visitors[0]?.lines.length ?? 0;
  for (let turn = 0; turn < 50; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  // The first chunk is answered; the rest is not read while the client does not read.
  expect(visitors[0]?.lines.length).toBe(taken);
  expect(taken).toBeLessThan(20_000);
  clock.advance(120_000);
  await until(() => visitors[0]?.events.includes('close') ?? false);
  expect(server.size).toBe(0);
});

test('one who reads again is served again', async () => {
  const block = 'y'.repeat(65_536);
  const { enter, visitors, until } = await startUnixServer((line, channel) => {
    channel.send(line === 'last' ? 'last' : block);
  });
  const socket = await enter();
  socket.pause();
  for (let i = 0; i < 200; i++) socket.write('ask\n');
  await until(() => visitors[0]?.channel.isClear === false);
  const received = textOf(socket);
  socket.resume();
  socket.write('last\n');
  await received.until('last\n');
  expect(visitors[0]?.channel.isClear).toBe(true);
});

test('a client over the limit is refused and disconnected', async () => {
  const { enter, server, until, visitors } = await startUnixServer(echo, { maxConnections: 2 });
  await enter();
  await enter();
  await until(() => visitors.length === 2);
  const third = await enter();
  const received = textOf(third);
  await once(third, 'end');
  expect(JSON.parse(received.text)).toMatchObject({
    exai: 'refused',
    error: { class: 'over_capacity', retryAfterMs: 1000 },
  });
  expect(server.size).toBe(2);
});

test('a drain lets every session finish, ends the connections and takes the file away', async () => {
  const { enter, server, path, until, visitors } = await startUnixServer(echo);
  const socket = await enter();
  await until(() => visitors.length === 1);
  socket.resume();
  const ended = once(socket, 'end');
  await server.drain(10_000);
  await ended;
  expect(visitors[0]?.events).toEqual(['drain', 'close']);
  expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
});

test('a session that does not finish is cut when the time of a drain is over', async () => {
  const { enter, server, clock } = await startUnixServer(echo, {
    openSession: () => ({
      onMessage: () => undefined,
      onEnd: () => undefined,
      onClose: () => undefined,
      drain: () => new Promise(() => undefined),
      interrupt: () => undefined,
    }),
  });
  const socket = await enter();
  socket.resume();
  while (server.size === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  const drained = server.drain(5000);
  clock.advance(5000);
  await drained;
  expect(server.size).toBe(0);
});

test.each(['onMessage', 'onEnd', 'onClose', 'drain'] as const)(
  'a session that throws in %s closes its connection only',
  async (where) => {
    const bug = () => {
      throw new TypeError('a bug');
    };
    const log = createListLog();
    const { enter, server } = await startUnixServer(echo, {
      log,
      openSession: (channel) => ({
        onMessage: (line: string) => channel.send(line),
        onEnd: () => channel.close(1000, ''),
        onClose: () => undefined,
        drain: () => Promise.resolve(),
        interrupt: () => undefined,
        [where]: bug,
      }),
    });
    const socket = await enter();
    socket.resume();
    const closed = once(socket, 'end');
    socket.end('one\n');
    await closed;
    const second = await enter();
    while (server.size === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    second.resume();
    await server.drain(10_000);
    expect(log.lines.map(({ event }) => event)).toContain('unix_session_failed');
  },
);

test('a session that cannot even begin costs its connection', async () => {
  const { enter, server } = await startUnixServer(echo, {
    openSession: () => {
      throw new TypeError('a bug');
    },
  });
  const socket = await enter();
  socket.resume().end();
  await once(socket, 'end');
  while (server.size > 0) await new Promise<void>((resolve) => setImmediate(resolve));
  expect((await enter()).destroyed).toBe(false);
});

test('a folder in the place of the socket file is named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'exai-door-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await expect(startUnixServer(echo, { path: folder })).rejects.toMatchObject({
    class: 'conflict',
    field: 'EXAI_HOME',
    message: `${folder} is in the way of the socket file of the daemon.`,
  });
});

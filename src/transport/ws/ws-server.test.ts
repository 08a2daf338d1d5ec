import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
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
} from './ws-server.fixture.ts';

test.each(['/', '/ws', '/ws?from=here'])('a WebSocket is served at %s', async (path) => {
  const { port, server } = await startWsServer();
  const client = await connectWs(port, { path });
  expect(await ask(client, '{"a":"ü"}')).toBe('{"a":"ü"}');
  expect(server.size).toBe(1);
});

test.each([
  ['a foreign Host', { headers: { host: 'evil.example' } }, 403, 'permission'],
  ['a foreign Origin', { origin: 'http://evil.example' }, 403, 'permission'],
  ['the Origin of another server here', { origin: 'http://127.0.0.1:1' }, 403, 'permission'],
  ['an Origin that hides', { origin: 'null' }, 403, 'permission'],
  ['a path that is not served', { path: '/admin' }, 404, 'not_found'],
  ['a target that is no path', { path: '//[' }, 404, 'not_found'],
])('%s is refused with words', async (_, options, status, errorClass) => {
  const { port, server, counted, logged } = await startWsServer();
  const { path = '/', ...rest } = options as { path?: string; headers?: Record<string, string> };
  const refused = await refusal(port, path, rest);
  expect(refused).toMatchObject({ status, body: { error: { class: errorClass } } });
  expect([server.size, counted, logged]).toEqual([
    0,
    [`exai_ws_refused_total ${errorClass}`],
    ['ws_refused'],
  ]);
});

test('our own pages and those that were named may connect', async () => {
  const { port } = await startWsServer();
  for (const origin of [`http://127.0.0.1:${port}`, 'https://app.example']) {
    expect(await ask(await connectWs(port, { origin }), 'x')).toBe('x');
  }
});

test.each([
  ['no key', HANDSHAKE.filter((line) => !line.includes('-Key')), 'GET /'],
  ['a version nobody speaks', HANDSHAKE.map((line) => line.replace('13', '99')), 'GET /'],
  ['another method', HANDSHAKE, 'POST /'],
  ['a broken list of protocols', [...HANDSHAKE, 'Sec-WebSocket-Protocol: a,,b'], 'GET /'],
])('a handshake with %s is a bad request', async (_, headers, line) => {
  const { port, counted } = await startWsServer();
  const socket = await dial(port, headers, line);
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect(data.toString()).toMatch(/^HTTP\/1\.1 400 .*"class":"bad_request"/s);
  expect(counted).toEqual(['exai_ws_refused_total bad_request']);
});

verifies(
  'door:upgrade',
  'a connection over the limit gets a retry time, and is accepted when another has gone',
  async () => {
    const { port, server } = await startWsServer({ maxConnections: 1 });
    const first = await connectWs(port);
    expect(await refusal(port, '/')).toMatchObject({
      status: 503,
      retryAfter: '1',
      body: { error: { class: 'over_capacity', retry_after_ms: 1000 } },
    });
    first.close();
    await until(() => server.size === 0);
    expect(await ask(await connectWs(port), 'x')).toBe('x');
  },
);

test('a peer that disconnects while it is refused does no harm', async () => {
  const { port, counted } = await startWsServer();
  for (let index = 0; index < 20; index++) {
    const socket = await dial(port, HANDSHAKE, 'GET /nowhere');
    socket.resetAndDestroy();
  }
  await dial(port, HANDSHAKE, 'GET /nowhere').then((socket) => once(socket, 'data'));
  expect(counted.length).toBeGreaterThan(0);
  expect(await ask(await connectWs(port), 'x')).toBe('x');
});

verifies('door:upgrade', 'the subprotocol is mcp or none, and the token is handed on', async () => {
  const { port, sessions, logged } = await startWsServer();
  const mcp = await connectWs(port, {
    protocols: ['other', 'mcp'],
    headers: { authorization: 'Bearer a secret' },
  });
  await connectWs(port);
  expect([mcp.protocol, mcp.extensions]).toEqual(['mcp', '']);
  expect(sessions.map(({ opening }) => ({ ...opening, connection: undefined }))).toEqual([
    { session: 'session-0', token: 'a secret', connection: undefined, protocol: 'mcp' },
    { session: 'session-1', token: undefined, protocol: undefined },
  ]);
  expect(JSON.stringify(logged)).not.toContain('a secret');
});

test('a client that offers only protocols we do not know is let in without one', async () => {
  const { port } = await startWsServer();
  const socket = await dial(port, [...HANDSHAKE, 'Sec-WebSocket-Protocol: exai.v1']);
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect(data.toString()).toMatch(/^HTTP\/1\.1 101 /);
  expect(data.toString().toLowerCase()).not.toContain('sec-websocket-protocol');
});

verifies(
  'door:limits',
  'a message over the limit is closed with 1009 and counted once',
  async () => {
    const { port, sessions, counted, server } = await startWsServer({ maxFrameBytes: 33_554_432 });
    const client = await connectWs(port);
    client.send('x'.repeat(33 * 1024 * 1024));
    expect((await closeOf(client)).code).toBe(1009);
    await until(() => server.size === 0);
    expect(counted).toEqual(['exai_ws_dropped_total too_large']);
    expect(sessions[0]).toMatchObject({ messages: [], closes: 1 });
  },
);

test('a message at the limit gets through', async () => {
  const { port } = await startWsServer({ maxFrameBytes: 1024 * 1024 });
  const text = 'x'.repeat(1024 * 1024);
  expect(await ask(await connectWs(port), text)).toBe(text);
});

verifies(
  'transports:large',
  'a large message is parsed in steps, and the others keep their order',
  async () => {
    const messages: unknown[] = [];
    const { port } = await startWsServer({
      maxFrameBytes: 8 * 1024 * 1024,
      behave: ({ channel }) => ({
        onMessage(message) {
          messages.push(typeof message === 'string' ? message : message.value);
          channel.send(String(messages.length));
        },
      }),
    });
    const client = await connectWs(port);
    const value = { text: 'é\n'.repeat(1_500_000) };
    for (const text of ['first', JSON.stringify(value), 'second', JSON.stringify([value]), 'third'])
      client.send(text);
    await until(() => messages.length === 5);
    expect(messages).toEqual(['first', value, 'second', [value], 'third']);
  },
);

test('binary is taken for text where it is UTF-8', async () => {
  const { port } = await startWsServer();
  const client = await connectWs(port);
  const answer = nextMessage(client);
  client.send(Buffer.from('{"a":"ü"}'));
  expect(await answer).toBe('{"a":"ü"}');
});

test.each([
  ['a binary', 2],
  ['a text', 1],
])('%s that is no UTF-8 is closed with 1007', async (_, opcode) => {
  const { port, sessions, counted, server } = await startWsServer();
  const socket = await dial(port);
  await once(socket, 'data');
  socket.write(clientFrame(opcode, Buffer.from([0x22, 0xc3, 0x28, 0x22])));
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect([data[0], data.readUInt16BE(2)]).toEqual([0x88, 1007]);
  socket.end();
  await until(() => server.size === 0);
  expect([counted, sessions[0]?.closes]).toEqual([['exai_ws_dropped_total bad_request'], 1]);
});

verifies('door:upgrade', 'a compressed frame is refused: nothing was agreed on', async () => {
  const { port, sessions } = await startWsServer();
  const socket = await dial(port, [
    ...HANDSHAKE,
    'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits',
  ]);
  const [head] = (await once(socket, 'data')) as [Buffer];
  expect(head.toString().toLowerCase()).not.toContain('permessage-deflate');
  socket.write(clientFrame(0x41, Buffer.from([0x4a, 0x04, 0x00])));
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect([data[0], data.readUInt16BE(2)]).toEqual([0x88, 1002]);
  expect(sessions[0]?.messages).toEqual([]);
});

test.each([
  ['hangs up politely', (client: WebSocket) => client.close()],
  ['vanishes', (client: WebSocket) => client.terminate()],
])('a session hears once of a client that %s', async (_, leave) => {
  const { port, sessions, server } = await startWsServer();
  leave(await connectWs(port));
  await until(() => server.size === 0);
  expect(sessions[0]?.closes).toBe(1);
});

test('a session that fails costs its own connection only', async () => {
  const { port, logged, counted } = await startWsServer({
    behave: ({ channel }) => ({
      onMessage(text: string) {
        if (text === 'break') throw new TypeError('a bug');
        channel.send(text);
      },
    }),
  });
  const [good, bad] = [await connectWs(port), await connectWs(port)];
  bad.send('break');
  expect((await closeOf(bad)).code).toBe(1011);
  expect(await ask(good, 'x')).toBe('x');
  expect([logged, counted]).toEqual([['ws_failed'], ['exai_ws_dropped_total internal']]);
});

test('what is sent in one tick leaves in one write', async () => {
  let writes = 0;
  const { port } = await startWsServer({
    onUpgrade(socket) {
      const write = socket._writev?.bind(socket);
      socket._writev = (chunks, done) => {
        writes += 1;
        write?.(chunks, done);
      };
    },
    behave: ({ channel }) => ({
      onMessage() {
        for (let index = 0; index < 50; index++) channel.send(`answer ${index}`);
      },
    }),
  });
  const client = await connectWs(port);
  let answers = 0;
  client.on('message', () => void (answers += 1));
  client.send('go');
  await until(() => answers === 50);
  expect(writes).toBe(1);
});

verifies('door:limits', 'a thousand sockets come and go without a trace', async () => {
  const { port, server, sessions, clock } = await startWsServer();
  for (let round = 0; round < 2; round++) {
    const clients = await Promise.all(Array.from({ length: 500 }, () => connectWs(port)));
    expect(server.size).toBe(500);
    expect(clock.waiting).toBe(1);
    for (const [index, client] of clients.entries()) {
      if (index % 2 === 0) client.close();
      else client.terminate();
    }
    await until(() => server.size === 0);
  }
  expect(sessions.every(({ closes }) => closes === 1)).toBe(true);
  expect(clock.waiting).toBe(0);
});

interface Refusal {
  status: number | undefined;
  retryAfter: string | undefined;
  body: unknown;
}

/** The response to a refused client. */
async function refusal(port: number, path: string, options = {}): Promise<Refusal> {
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, options);
  client.on('error', () => undefined);
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  const { statusCode: status, headers } = response;
  return { status, retryAfter: headers['retry-after'], body: JSON.parse(body) };
}

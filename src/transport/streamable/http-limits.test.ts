import { once } from 'node:events';
import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { Route } from '../http/route-dispatcher.ts';
import { jsonReply } from '../http/reply.ts';
import {
  ask,
  initialize,
  listen,
  modern,
  startMcpHttp,
  rpc,
  send,
  until,
  dial,
  type TestRequest,
} from './mcp-http.fixture.ts';

const done = (id: number | string) => JSON.stringify({ jsonrpc: '2.0', id, result: 'done' });
const CLIENT_RESPONSE = JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} });
const silent = () => undefined;

const body = rpc('work');
const sse = { accept: 'text/event-stream' };

verifies('http:limits', 'a body over the limit is refused, announced or not', async () => {
  const { port } = await startMcpHttp();
  const headers = await initialize(port);
  const large = rpc('work', { text: 'x'.repeat(5_000_000) });
  const announced = await ask(port, { headers, body: large });
  expect([announced.status, JSON.parse(announced.body)]).toMatchObject([
    413,
    { error: { message: expect.stringContaining('4194304 bytes') as string } },
  ]);
  const chunked = await ask(port, {
    headers: { ...headers, 'transfer-encoding': 'chunked' },
    body: large,
  });
  expect(chunked.status).toBe(413);
  const fits = rpc('work', { text: 'x'.repeat(4_000_000) });
  expect((await ask(port, { headers, body: fits })).status).toBe(200);
});

verifies('http:limits', 'a body that does not arrive in time is refused', async () => {
  const { port } = await startMcpHttp({
    limits: {
      maxHeaderSize: 16_384,
      headersTimeout: 100,
      requestTimeout: 200,
      keepAliveTimeout: 1000,
      connectionsCheckingInterval: 50,
    },
  });
  const socket = await dial(port);
  const head =
    'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*';
  socket.write(`${head}\r\ncontent-length: 100\r\n\r\n{"jsonrpc"`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect(data.toString()).toMatch(/^HTTP\/1\.1 408 /);
});

verifies(
  'http:limits',
  'a broken chunk is refused with a reason, and the listener stays open',
  async () => {
    const { port, mcps } = await startMcpHttp();
    const socket = await dial(port);
    const head =
      'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*';
    socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"jso\r\nzz\r\n`);
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.toString()).toMatch(/^HTTP\/1\.1 400 /);
    expect(mcps).toEqual([]);
    expect((await ask(port, { body: rpc('initialize') })).status).toBe(200);
  },
);

verifies('http:limits', 'at the limit the answer has a retry time', async () => {
  const { port, clock } = await startMcpHttp({ maxSessions: 1, onRequest: silent });
  const headers = await initialize(port);
  const stream = await listen(port, { method: 'GET', headers: { ...headers, ...sse } });
  const full = await ask(port, { body: rpc('initialize') });
  expect(full).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  stream.hangUp();
  clock.advance(1);
  await until(() => stream.response.destroyed);
  const again = await initialize(port);
  expect(again['mcp-session-id']).toBe('session-2');
});

const bearing = (asked: TestRequest, token: string): TestRequest => ({
  ...asked,
  headers: { ...asked.headers, authorization: `Bearer ${token}` },
});

verifies('http:limits', 'requests that need no session are counted, too', async () => {
  const { port, mcps, mcpHttp } = await startMcpHttp({
    maxSessions: 4,
    onRequest: (session, { id }) => session.notify('begun', id),
  });
  const subscribe = modern('subscriptions/listen');
  const held = [];
  for (let n = 0; n < 2; n++) held.push(await listen(port, bearing(subscribe, 'low')));
  const full = await ask(port, bearing(subscribe, 'low'));
  expect(full).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(JSON.parse(full.body)).toMatchObject({
    id: 1,
    error: { data: { error_class: 'over_capacity' } },
  });
  for (let n = 0; n < 2; n++) await listen(port, subscribe);
  expect((await ask(port, subscribe)).status).toBe(503);
  held[0]?.hangUp();
  await until(() => mcps.some(({ closes }) => closes === 1));
  await listen(port, subscribe);
  expect(mcpHttp.size).toBe(4);
});

verifies('http:limits', 'no client but the owner has all connections', async () => {
  const { port, mcps } = await startMcpHttp({ maxConnections: 4, onRequest: silent });
  const headers = await initialize(port, { authorization: 'Bearer low' });
  const calls = [1, 2].map((id) => ask(port, { headers, body: rpc('work', {}, id) }));
  await until(() => mcps[0]?.received.length === 3);
  const full = await ask(port, { headers, body: rpc('work', {}, 3) });
  expect([full.status, full.body]).toMatchObject([
    503,
    expect.stringContaining('that this client may have at once'),
  ]);
  const owner = await ask(port, { body: rpc('initialize') });
  expect(owner.status).toBe(200);
  for (const id of [1, 2]) mcps[0]?.answer(id);
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await ask(port, { headers, body: rpc('ping', {}, 3) })).status).toBe(200);
});

verifies(
  'http:limits',
  'over all connections only a probe is answered, and not for long',
  async () => {
    const probe: Route = {
      method: 'GET',
      path: '/healthz',
      access: 'open',
      handle: () => jsonReply(200, {}),
    };
    const { port, clock } = await startMcpHttp({ maxConnections: 3, routes: [probe] });
    const asked = { method: 'GET', path: '/sse', headers: sse };
    const held = [];
    for (let n = 0; n < 3; n++) held.push(await listen(port, asked));
    const refused = await ask(port, asked);
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', connection: 'close' },
      body: expect.stringContaining('All 3 connections over HTTP are taken.') as string,
    });
    const probed = await ask(port, { method: 'GET', path: '/healthz' });
    expect([probed.status, probed.headers.connection]).toEqual([200, 'close']);
    const silentOnes = await Promise.all(Array.from({ length: 32 }, () => dial(port)));
    const closed = silentOnes.map((socket) => once(socket.resume(), 'close'));
    await expect(ask(port, { method: 'GET', path: '/healthz' })).rejects.toThrow(
      /hang up|ECONNRESET/,
    );
    clock.advance(2000);
    await Promise.all(closed);
    expect((await ask(port, { method: 'GET', path: '/healthz' })).status).toBe(200);
    held[0]?.hangUp();
    await expect.poll(async () => (await send(port, asked)).statusCode).toBe(200);
  },
);

verifies('http:limits', 'a connection that asks nothing makes room for one that does', async () => {
  const { port } = await startMcpHttp({ maxConnections: 2 });
  const idle = await dial(port);
  const used = await dial(port);
  used.write('GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(used, 'data');
  const closed = once(idle.resume(), 'close');
  expect((await ask(port, { body: rpc('initialize') })).status).toBe(200);
  await closed;
  expect(used.destroyed).toBe(false);
});

verifies(
  'http:limits',
  'a modern client that does not read is cut, which cancels its request',
  async () => {
    const { port, mcps, mcpHttp } = await startMcpHttp({
      onRequest: (session, { id }) => session.notify('begun', id),
    });
    const got = await listen(port, modern('tools/list'));
    await got.until(1);
    got.response.pause();
    const text = 'x'.repeat(1024 * 1024);
    let wasClear = 0;
    for (let said = 0; said < 64; said++) {
      if (mcps[0]?.sink.isClear(1)) wasClear += 1;
      mcps[0]?.notify(text, 1);
    }
    expect(wasClear).toBeLessThan(16);
    await until(() => mcps[0]?.closes === 1);
    expect(mcpHttp.size).toBe(0);
  },
);

verifies(
  'http:limits',
  'hundreds of streams held open and half of them dropped leave nothing behind',
  async () => {
    const { port, mcps, mcpHttp, clock } = await startMcpHttp();
    const headers = await Promise.all(Array.from({ length: 200 }, () => initialize(port)));
    const streams = await Promise.all(
      headers.map((each) => listen(port, { method: 'GET', headers: { ...each, ...sse } })),
    );
    for (const [index, stream] of streams.entries()) if (index % 2 === 0) stream.hangUp();
    for (const mcp of mcps) mcp.notify('to all');
    await Promise.all(
      streams.filter((_, index) => index % 2 === 1).map((stream) => stream.until(1)),
    );
    for (const stream of streams) stream.hangUp();
    await until(() => streams.every(({ response }) => response.destroyed));
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(86_400_000);
    expect([mcpHttp.size, clock.waiting]).toEqual([0, 0]);
    expect(mcps.every(({ closes }) => closes === 1)).toBe(true);
  },
);

verifies(
  'http:streamable',
  'while draining, running requests are answered, streams end, and no more are accepted',
  async () => {
    const { port, mcps, mcpHttp } = await startMcpHttp({ onRequest: silent });
    const headers = await initialize(port);
    const stream = await listen(port, { method: 'GET', headers: { ...headers, ...sse } });
    const [old, stateless] = [ask(port, { headers, body }), ask(port, modern('tools/list'))];
    await until(() => mcps.length === 2 && mcps[0]?.received.length === 2);
    const drained = mcpHttp.drain(60_000);
    await stream.ended;
    expect((await ask(port, { headers, body: rpc('work', {}, 2) })).status).toBe(503);
    expect((await ask(port, modern('tools/list'))).status).toBe(503);
    expect((await ask(port, { headers, body: CLIENT_RESPONSE })).status).toBe(202);
    expect(mcps[1]?.ends).toBe(1);
    for (const mcp of mcps) {
      mcp.answer(1);
      mcp.settle();
    }
    expect([(await old).body, (await stateless).body]).toEqual([done(1), done(1)]);
    await drained;
    expect(mcpHttp.size).toBe(0);
  },
);

verifies(
  'http:limits',
  'what does not finish in the time of a drain is answered as interrupted',
  async () => {
    const { port, mcps, mcpHttp, clock } = await startMcpHttp({ onRequest: silent });
    const headers = await initialize(port);
    const old = ask(port, { headers, body });
    const stateless = ask(port, modern('tools/list'));
    const events = await listen(port, { method: 'GET', path: '/sse', headers: sse });
    await events.until(1);
    await ask(port, { path: '/messages?sessionId=session-2', body: rpc('work', {}, 'sse') });
    await until(() => mcps.length === 3 && mcps[0]?.received.length === 2);
    const drained = mcpHttp.drain(500);
    clock.advance(500);
    await drained;
    await events.ended;
    const [one, other] = [await old, await stateless];
    expect([one.status, other.status]).toEqual([200, 503]);
    for (const [id, text] of [
      [1, one.body],
      [1, other.body],
      ['sse', events.messages().at(-1) ?? ''],
    ] as const) {
      expect(JSON.parse(text)).toMatchObject({
        id,
        error: {
          code: -31_067,
          message: expect.stringMatching(/daemon stopped.*When the daemon is back/) as string,
          data: { error_class: 'interrupted' },
        },
      });
    }
    await until(() => mcps.every(({ closes }) => closes === 1));
    expect([mcpHttp.size, clock.waiting]).toEqual([0, 0]);
  },
);

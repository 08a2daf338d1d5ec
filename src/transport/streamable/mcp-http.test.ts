import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { notification } from './fake-mcp.fixture.ts';
import {
  ask,
  initialize,
  listen,
  MODERN,
  modern,
  startMcpHttp,
  rpc,
  until,
  dial,
} from './mcp-http.fixture.ts';

const done = (id: number | string) => JSON.stringify({ jsonrpc: '2.0', id, result: 'done' });
const CLIENT_RESPONSE = JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} });
const silent = () => undefined;

const body = rpc('work');
const sse = { accept: 'text/event-stream' };

verifies('http:streamable', 'a session opens, answers as JSON, and ends', async () => {
  const { port, mcps, counted } = await startMcpHttp();
  const first = await ask(port, { body: rpc('initialize', { protocolVersion: '2025-11-25' }) });
  expect(first).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/json', 'mcp-session-id': 'session-1' },
  });
  expect(first.headers['x-exai-req-id']).toMatch(/^req_/);
  const headers = { 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-11-25' };
  const note = await ask(port, { headers, body: rpc('notifications/initialized', {}, null) });
  expect([note.status, note.body]).toEqual([202, '']);
  expect(await ask(port, { headers, body: rpc('work') })).toMatchObject({
    status: 200,
    body: done(1),
  });
  expect((await ask(port, { headers, body: CLIENT_RESPONSE })).status).toBe(202);
  expect(mcps[0]?.received.map(({ is }) => is)).toEqual([
    'request',
    'notification',
    'request',
    'response',
  ]);
  expect((await ask(port, { method: 'DELETE', headers })).status).toBe(204);
  expect(mcps[0]?.closes).toBe(1);
  for (const method of ['POST', 'GET', 'DELETE']) {
    expect((await ask(port, { method, headers, body: rpc('work') })).status).toBe(404);
  }
  expect(counted).toContain('/mcp POST 200');
});

verifies('http:streamable', 'a message before an answer makes it a stream', async () => {
  const { port } = await startMcpHttp({
    onRequest(session, { id }) {
      session.notify('half', id);
      session.answer(id);
    },
  });
  const got = await listen(port, { headers: await initialize(port), body: rpc('work') });
  await got.ended;
  expect(got.response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  expect(got.events().map(({ id }) => id)).toEqual(['2-0', '2-1', '2-2']);
  expect(got.messages()).toEqual([notification('half'), done(1)]);
});

verifies(
  'http:streamable',
  'a modern request needs no session and answers with its status',
  async () => {
    const { port, mcps } = await startMcpHttp({
      onRequest: (session, { id, method }) =>
        session.answer(id, 'done', method === 'unknown' ? 404 : undefined),
    });
    const call = modern('tools/call', { name: 'a' });
    const got = await ask(port, call);
    expect(got).toMatchObject({ status: 200, body: done(1) });
    expect(got.headers['mcp-session-id']).toBeUndefined();
    expect((await ask(port, modern('unknown'))).status).toBe(404);
    expect((await ask(port, modern('initialize'))).status).toBe(200);
    expect(mcps.map(({ about }) => about.era)).toEqual(['modern', 'modern', 'modern']);
    const headers = { 'mcp-protocol-version': MODERN };
    const note = await ask(port, { headers, body: rpc('notifications/x', {}, null) });
    expect([note.status, mcps.length]).toEqual([202, 3]);
    await until(() => mcps.every(({ closes }) => closes === 1));
  },
);

verifies(
  'http:streamable',
  'a modern stream has neither event ids nor a time to retry',
  async () => {
    const { port, clock, mcps } = await startMcpHttp({
      onRequest(session, { id, method }) {
        if (method === 'subscriptions/listen') session.notify('ack', id);
      },
    });
    const got = await listen(port, modern('subscriptions/listen'));
    expect(await got.until(1)).toEqual([notification('ack')]);
    clock.advance(15_000);
    mcps[0]?.notify('changed');
    expect(await got.until(2)).toEqual([notification('ack'), notification('changed')]);
    expect(got.text()).not.toMatch(/^(id|retry):/m);
    expect(got.text()).toMatch(/^: /m);
    mcps[0]?.answer(1);
    await got.ended;
    expect(got.messages().at(-1)).toBe(done(1));
  },
);

verifies('http:streamable', 'an answer that takes long becomes a stream in both eras', async () => {
  const { port, clock, mcps } = await startMcpHttp({ onRequest: silent });
  const headers = await initialize(port);
  const [old, stateless] = [
    listen(port, { headers, body: rpc('work') }),
    listen(port, modern('tools/list')),
  ];
  await until(() => mcps.length === 2 && mcps[0]?.received.length === 2);
  clock.advance(1000);
  for (const [index, answer] of [await old, await stateless].entries()) {
    expect(answer.response.headers['content-type']).toBe('text/event-stream');
    mcps[index]?.answer(1);
    await answer.ended;
    expect(answer.messages()).toEqual([done(1)]);
  }
});

verifies('http:streamable', 'hanging up cancels a modern request, and no older one', async () => {
  const { port, mcps, mcpHttp } = await startMcpHttp({
    onRequest: (session, { id }) => session.notify('half', id),
  });
  const headers = await initialize(port);
  const old = await listen(port, { headers, body: rpc('work') });
  const stateless = await listen(port, modern('tools/list'));
  await Promise.all([old.until(1), stateless.until(1)]);
  old.hangUp();
  stateless.hangUp();
  await until(() => mcps[1]?.closes === 1);
  expect([mcps[0]?.closes, mcpHttp.size]).toEqual([0, 1]);
  const back = await listen(port, {
    method: 'GET',
    headers: { ...headers, accept: 'text/event-stream', 'last-event-id': '2-1' },
  });
  mcps[0]?.answer(1);
  expect(await back.until(1)).toEqual([done(1)]);
  await back.ended;
});

verifies(
  'http:streamable',
  'who hangs up before a modern answer begins cancels it too',
  async () => {
    const { port, mcps, counted } = await startMcpHttp({ onRequest: silent });
    const socket = await dial(port);
    const { headers = {}, body = '' } = modern('tools/list');
    socket.write(
      ['POST /mcp HTTP/1.1', 'host: localhost', 'content-type: application/json', 'accept: */*']
        .concat(Object.entries(headers).map(([name, value]) => `${name}: ${value}`))
        .concat(`content-length: ${body.length}`, '', String(body))
        .join('\r\n'),
    );
    await until(() => mcps.length === 1);
    socket.destroy();
    await until(() => mcps[0]?.closes === 1 && counted.length > 0);
    expect(counted.at(-1)).toBe('/mcp POST 499');
  },
);

verifies('http:sessions', 'a session that was not used for long is gone', async () => {
  const { port, clock, gauges } = await startMcpHttp();
  const headers = await initialize(port);
  expect(gauges.get('exai_http_sessions')?.()).toBe(1);
  clock.advance(1_800_000);
  expect((await ask(port, { headers, body })).status).toBe(404);
  expect(gauges.get('exai_http_sessions')?.()).toBe(0);
});

verifies(
  'http:resume',
  'a stream of what belongs to no request is cut, resumed and complete',
  async () => {
    const { port, mcps } = await startMcpHttp();
    const headers = { ...(await initialize(port)), ...sse };
    const first = await listen(port, { method: 'GET', headers });
    mcps[0]?.notify('a');
    await first.until(1);
    expect((await ask(port, { method: 'GET', headers })).status).toBe(409);
    const last = first.events().at(-1)?.id ?? '';
    first.hangUp();
    mcps[0]?.notify('b');
    const back = await listen(port, {
      method: 'GET',
      headers: { ...headers, 'last-event-id': last },
    });
    mcps[0]?.notify('c');
    expect(await back.until(2)).toEqual([notification('b'), notification('c')]);
  },
);

test('of a stream the time is taken until it begins', async () => {
  const { port, clock, timed, counted } = await startMcpHttp();
  const headers = { ...(await initialize(port)), ...sse };
  await until(() => timed.length === 1);
  const stream = await listen(port, { method: 'GET', headers });
  clock.advance(3_600_000);
  stream.hangUp();
  await until(() => counted.length === 2);
  expect(timed).toEqual([0, 0]);
});

import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import {
  ask,
  dial,
  initialize,
  listen,
  modern,
  startMcpHttp,
  rpc,
  until,
  type TestRequest,
} from './mcp-http.fixture.ts';

const EVENTS = { accept: 'text/event-stream' };

/** Requests as one text, to be sent in one go over one connection. */
function pipelined(...requests: readonly TestRequest[]): string {
  return requests.map(toText).join('');
}

function toText({ method = 'POST', path = '/mcp', headers = {}, body = '' }: TestRequest): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost'];
  if (method === 'POST') lines.push('content-type: application/json', 'accept: */*');
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return [...lines, `content-length: ${Buffer.byteLength(body)}`, '', String(body)].join('\r\n');
}

const openSse: TestRequest = { method: 'GET', path: '/sse', headers: EVENTS };
const listening = (headers: Record<string, string>): TestRequest => ({
  method: 'GET',
  headers: { ...headers, ...EVENTS },
});

verifies(
  'http:limits',
  'streams that wait behind another are freed when their connection is gone',
  async () => {
    const { port, mcpHttp, mcps, gauges, counted } = await startMcpHttp();
    const socket = await dial(port);
    socket.write(pipelined(...Array.from({ length: 300 }, () => openSse)));
    await until(() => mcps.length === 300);
    expect([mcpHttp.size, gauges.get('exai_http_sessions')?.()]).toEqual([300, 300]);
    socket.destroy();
    await until(() => mcps.every(({ closes }) => closes === 1));
    expect([mcpHttp.size, gauges.get('exai_http_sessions')?.()]).toEqual([0, 0]);
    await until(() => counted.length === 300);
  },
);

verifies(
  'http:sessions',
  'a stream that waited behind another leaves its session free to open one again',
  async () => {
    const { port, mcps } = await startMcpHttp({ onRequest: () => undefined });
    const sessions = [await initialize(port), await initialize(port)];
    const socket = await dial(port);
    // The last one is there when those before it are.
    socket.write(pipelined(...sessions.map(listening), modern('tools/list')));
    await until(() => mcps.length === 3);
    for (const headers of sessions) {
      expect((await ask(port, listening(headers))).status).toBe(409);
    }
    socket.destroy();
    await until(() => mcps[2]?.closes === 1);
    for (const headers of sessions) {
      const { response } = await listen(port, listening(headers));
      expect(response.statusCode).toBe(200);
    }
  },
);

verifies(
  'http:streamable',
  'a modern request that waits behind a stream is cancelled by hanging up, too',
  async () => {
    const { port, mcpHttp, mcps, counted } = await startMcpHttp({ onRequest: () => undefined });
    const socket = await dial(port);
    socket.write(pipelined(openSse, modern('tools/list'), modern('subscriptions/listen')));
    await until(() => mcps.length === 3);
    mcps[2]?.notify('acknowledged', 1);
    socket.destroy();
    await until(() => mcps.every(({ closes }) => closes === 1) && counted.length === 3);
    expect(mcpHttp.size).toBe(0);
    // Requests that never started are counted as such.
    expect(counted.filter((each) => each === '/mcp POST 499')).toHaveLength(1);
  },
);

test('an older call behind a stream continues when its client disconnects, and its answer is dropped', async () => {
  const { port, mcpHttp, mcps } = await startMcpHttp({ onRequest: () => undefined });
  const headers = await initialize(port);
  const socket = await dial(port);
  socket.write(pipelined(listening(headers), { headers, body: rpc('work') }));
  await until(() => mcps[0]?.received.length === 2);
  socket.destroy();
  await new Promise((resolve) => socket.once('close', resolve));
  mcps[0]?.answer(1);
  expect([mcps[0]?.closes, mcpHttp.size]).toEqual([0, 1]);
  expect((await ask(port, { method: 'DELETE', headers })).status).toBe(204);
});

verifies(
  'http:limits',
  'who does not read is cut with all that waits on its connection',
  async () => {
    const { port, clock, mcpHttp, mcps } = await startMcpHttp();
    const socket = await dial(port);
    socket.resume();
    socket.write(pipelined(openSse, openSse));
    await until(() => mcps.length === 2);
    // The second has a message, which cannot be sent while the first runs.
    for (let look = 0; look < 9; look++) {
      clock.advance(15_000);
      // What is written leaves after this turn, so that the first one is not taken for unread, too.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => mcps.every(({ closes }) => closes === 1));
    expect(mcpHttp.size).toBe(0);
  },
);

test('answers behind a stream that ends come in their order', async () => {
  const { port, mcps } = await startMcpHttp();
  const socket = await dial(port);
  let text = '';
  socket.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  socket.write(pipelined(openSse, modern('tools/list'), openSse));
  await until(() => mcps.length === 3);
  mcps[0]?.sink.close(1000, '');
  await until(() => text.split('HTTP/1.1 200').length === 4);
  expect(text.indexOf('"result":"done"')).toBeGreaterThan(text.indexOf('sessionId=session-1'));
  expect(text.indexOf('sessionId=session-2')).toBeGreaterThan(text.indexOf('"result":"done"'));
});

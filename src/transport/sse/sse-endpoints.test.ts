import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { notification } from '../streamable/fake-mcp.fixture.ts';
import {
  ask,
  listen,
  startMcpHttp,
  rpc,
  until,
  type Reading,
} from '../streamable/mcp-http.fixture.ts';

const done = (id: number | string) => JSON.stringify({ jsonrpc: '2.0', id, result: 'done' });
const body = rpc('work');

async function open(port: number, headers: Record<string, string> = {}) {
  const asked = {
    method: 'GET',
    path: '/sse',
    headers: { accept: 'text/event-stream', ...headers },
  };
  const stream = await listen(port, asked);
  // The address counts among what is read.
  await stream.until(1);
  return { stream, path: addressOf(stream) };
}

function addressOf(stream: Reading): string {
  return /^event: endpoint\ndata: (.*)$/m.exec(stream.text())?.[1] ?? '';
}

verifies(
  'http:sse-2024',
  'the first event is where to post; answers come by the stream',
  async () => {
    const { port, mcps, gauges } = await startMcpHttp({
      onRequest(session, { id }) {
        session.notify('half', id);
        session.answer(id);
      },
    });
    const { stream, path } = await open(port);
    expect(path).toBe('/messages?sessionId=session-1');
    expect(gauges.get('exai_http_sessions')?.()).toBe(1);
    const posted = await ask(port, { path, headers: { accept: '' }, body });
    expect([posted.status, posted.body]).toEqual([202, 'Accepted']);
    expect((await stream.until(3)).slice(1)).toEqual([notification('half'), done(1)]);
    expect(stream.text()).toMatch(/^event: message$/m);
    mcps[0]?.notify('unasked');
    expect((await stream.until(4)).at(-1)).toBe(notification('unasked'));
  },
);

verifies('http:sse-2024', 'the end of the stream ends the session', async () => {
  const { port, mcps, mcpHttp } = await startMcpHttp({ onRequest: () => undefined });
  const { stream, path } = await open(port);
  await ask(port, { path, body });
  stream.hangUp();
  await until(() => mcps[0]?.closes === 1);
  expect(mcpHttp.size).toBe(0);
  expect((await ask(port, { path, body })).status).toBe(404);
});

verifies('http:sse-2024', 'a session that ends itself ends the stream', async () => {
  const { port, mcps } = await startMcpHttp();
  const { stream } = await open(port);
  mcps[0]?.sink.close(1000, '');
  await stream.ended;
});

verifies('http:sse-2024', 'no other caller may post into a session', async () => {
  const { port, mcps } = await startMcpHttp();
  const { path } = await open(port, { authorization: 'Bearer alice' });
  const foreign = await ask(port, { path, headers: { authorization: 'Bearer mallory' }, body });
  expect([foreign.status, mcps[0]?.received]).toEqual([404, []]);
  expect((await ask(port, { path, headers: { authorization: 'Bearer alice' }, body })).status).toBe(
    202,
  );
});

const EVENTS = { accept: 'text/event-stream' };

test.each([
  ['no session', { path: '/messages', body }, 400, 'sessionId'],
  ['an unknown session', { path: '/messages?sessionId=x', body }, 404, 'GET /sse again'],
  [
    'another Content-Type',
    { path: '/messages?sessionId=session-1', headers: { 'content-type': 'text/plain' }, body },
    415,
    'Content-Type',
  ],
  ['a batch', { path: '/messages?sessionId=session-1', body: '[]' }, 400, 'Batches'],
  [
    'a large body',
    { path: '/messages?sessionId=session-1', body: `"${'x'.repeat(5_000_000)}"` },
    413,
    'bytes',
  ],
  ['GET of messages', { method: 'GET', path: '/messages?sessionId=session-1' }, 405, 'POST only'],
  ['POST of the stream', { path: '/sse', body }, 405, 'GET only'],
  [
    'a stream that is not accepted',
    { method: 'GET', path: '/sse', headers: { accept: 'application/json' } },
    406,
    'Accept',
  ],
  [
    'a foreign Origin',
    { method: 'GET', path: '/sse', headers: { ...EVENTS, origin: 'https://evil.example' } },
    403,
    'Origin',
  ],
  [
    'the image of a foreign page',
    {
      method: 'GET',
      path: '/sse',
      headers: { accept: 'image/webp,*/*', 'sec-fetch-site': 'cross-site' },
    },
    403,
    'other sites',
  ],
  [
    'a wrong token',
    { method: 'GET', path: '/sse', headers: { ...EVENTS, authorization: 'Bearer wrong' } },
    401,
    'token',
  ],
  [
    'one more than there is room for',
    { method: 'GET', path: '/sse', headers: EVENTS },
    503,
    'Session limit reached',
  ],
] as const)('%s is refused with a reason', async (_, asked, status, words) => {
  const { port, mcps } = await startMcpHttp({ maxSessions: 1 });
  await open(port);
  const got = await ask(port, asked);
  expect(got.status).toBe(status);
  expect((JSON.parse(got.body) as { error: { message: string } }).error.message).toContain(words);
  expect(mcps.map(({ received }) => received)).toEqual([[]]);
});

verifies('http:sse-2024', 'a drain answers what runs, then ends the streams', async () => {
  const { port, mcps, mcpHttp, clock } = await startMcpHttp({ onRequest: () => undefined });
  const { stream, path } = await open(port);
  await ask(port, { path, body });
  clock.advance(15_000);
  const drained = mcpHttp.drain(60_000);
  expect((await ask(port, { path, body: rpc('work', {}, 2) })).status).toBe(503);
  mcps[0]?.answer(1);
  mcps[0]?.settle();
  await drained;
  await stream.ended;
  expect(stream.messages().at(-1)).toBe(done(1));
  expect(stream.text()).toMatch(/^: /m);
  expect([mcps[0]?.closes, mcpHttp.size]).toEqual([1, 0]);
});

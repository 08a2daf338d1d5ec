import { LightAbortController } from '#core/net/abort.ts';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#app/system.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import { createConnect } from '#hub/connection/connect.ts';
import type { Connection, ConnectionHandlers } from '#hub/connection/connection.ts';

interface Received {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly message: { id?: number; method?: string; params?: Record<string, unknown> };
}

type Answer = (request: Received, response: ServerResponse) => void;

const MAX_BYTES = 65_536;

function json(response: ServerResponse, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function initialized(response: ServerResponse, { message }: Received, session = 's1') {
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'one' } };
  json(response, { jsonrpc: '2.0', id: message.id, result }, { 'mcp-session-id': session });
}

/** A server that answers what `answers` names by method, and everything else as a small server does. */
async function serve(answers: Readonly<Record<string, Answer>>) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      const message = text === '' ? {} : (JSON.parse(text) as Received['message']);
      const { method = '', headers } = request;
      const each = { method, headers, message };
      received.push(each);
      const answer = answers[message.method ?? method];
      if (answer) return answer(each, response);
      if (message.method === 'initialize') return initialized(response, each);
      response.writeHead(method === 'GET' ? 405 : 202).end();
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, received };
}

async function connect(url: string, more: Partial<UpstreamConfig> = {}) {
  const handlers = {
    onListChanged: vi.fn<ConnectionHandlers['onListChanged']>(),
    onResourceUpdated: vi.fn<ConnectionHandlers['onResourceUpdated']>(),
    onFault: vi.fn<ConnectionHandlers['onFault']>(),
    onClose: vi.fn<ConnectionHandlers['onClose']>(),
  };
  const open = createConnect({
    clock: systemClock,
    random: (bytes) => new Uint8Array(bytes),
    env: {},
    folder: '/',
    network: async () => ({ httpProxy: '', httpsProxy: '', noProxy: '', extraCa: '' }),
  });
  const config: UpstreamConfig = {
    type: '',
    command: '',
    args: [],
    env: {},
    cwd: '',
    url,
    headers: { Authorization: 'Bearer secret' },
    disabled: false,
    disabledTools: [],
    shared: true,
    scan: 'block',
    sampling: 'deny',
    protocol: 'auto',
    startTimeoutMs: 60_000,
    callTimeoutMs: 60_000,
    idleStopMs: 0,
    maxConcurrent: 4,
    ...more,
  };
  const about = { server: 'one', config, knownEra: undefined, maxMessageBytes: MAX_BYTES } as const;
  const connection: Connection = await open(
    {
      ...about,
      isShared: true,
      principal: 'local',
      onStderr: () => undefined,
      signal: new LightAbortController(),
    },
    handlers,
  );
  onTestFinished(() => connection.close());
  const call = (method = 'tools/call') => connection.request(method, {}, { timeoutMs: 60_000 });
  return { connection, call, handlers };
}

async function failure(work: Promise<unknown>): Promise<CallError> {
  return work.then(
    () => expect.unreachable('it did not fail'),
    (error: CallError) => error,
  );
}

test('a session is opened, named in each request, and ended', async () => {
  const { url, received } = await serve({
    'tools/call': ({ message: { id } }, response) =>
      json(response, { jsonrpc: '2.0', id, result: { a: 1 } }),
  });
  const { connection, call } = await connect(url);
  expect(connection.info).toMatchObject({ era: 'legacy', serverInfo: { name: 'one' } });
  expect(await call()).toEqual({ a: 1 });
  await connection.close();
  await expect.poll(() => received.at(-1)?.method).toBe('DELETE');
  const [first, ...rest] = received;
  expect(first?.headers).not.toHaveProperty('mcp-session-id');
  for (const { headers } of rest) {
    expect(headers).toMatchObject({
      'mcp-session-id': 's1',
      'mcp-protocol-version': '2025-11-25',
      authorization: 'Bearer secret',
    });
  }
});

test('a stream that breaks off is resumed from its last event, after the pause that the server wants', async () => {
  const { url, received } = await serve({
    'tools/call': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: e1\nretry: 10\ndata:\n\n');
      response.end();
    },
    GET: ({ headers }, response) => {
      if (headers['last-event-id'] !== 'e1') return void response.writeHead(405).end();
      const { id } = received.find(({ message }) => message.method === 'tools/call')?.message ?? {};
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { late: true } })}\n\n`);
    },
  });
  const { call } = await connect(url);
  expect(await call()).toEqual({ late: true });
});

test('a stream without ids that breaks off fails its request alone', async () => {
  let calls = 0;
  const { url } = await serve({
    'tools/call': ({ message: { id } }, response) => {
      if (++calls > 1) return json(response, { jsonrpc: '2.0', id, result: {} });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
      response.end();
    },
  });
  const { call, handlers } = await connect(url);
  expect(await failure(call())).toMatchObject({
    class: 'network',
    reason: { code: 'server_hung_up' },
  });
  expect(handlers.onListChanged).toHaveBeenCalledExactlyOnceWith('tools');
  expect(await call()).toEqual({});
  expect(handlers.onClose).not.toHaveBeenCalled();
});

const NO_SESSION = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No session"}}';

test.each([
  [404, ''],
  [400, NO_SESSION],
])('a session that the server has forgotten ends the connection: %i', async (status, body) => {
  const { url } = await serve({
    'tools/call': (_, response) => response.writeHead(status).end(body),
  });
  const { call, handlers } = await connect(url);
  expect(await failure(call())).toMatchObject({ reason: { code: 'server_session_ended' } });
  expect(handlers.onClose).toHaveBeenCalledOnce();
});

test.each([
  [401, 'auth', 'server_unauthorized'],
  [403, 'permission', 'server_unauthorized'],
  [429, 'rate_limit', 'server_http_status'],
  [500, 'network', 'server_http_status'],
  [302, 'bad_response', 'server_protocol_error'],
] as const)('status %i fails the request as %s', async (status, errorClass, code) => {
  const { url } = await serve({
    'tools/call': (_, response) => response.writeHead(status, { 'retry-after': '3' }).end('no'),
  });
  const { call } = await connect(url);
  const error = await failure(call());
  expect(error).toMatchObject({ class: errorClass, reason: { code } });
  expect(JSON.stringify(error)).not.toContain('secret');
});

test('an error status with a JSON-RPC error is that error', async () => {
  const { url } = await serve({
    'tools/call': (_, response) =>
      response
        .writeHead(400)
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"odd"}}'),
  });
  const { call } = await connect(url);
  expect(await failure(call())).toMatchObject({
    class: 'validation',
    reason: { code: 'server_refused', params: { rpcCode: -32602, message: 'odd' } },
  });
});

test('a response that is too long, not JSON, or of another type fails its request', async () => {
  const bodies = [
    ['application/json', `"${'x'.repeat(MAX_BYTES)}"`],
    ['text/event-stream', `data: "${'x'.repeat(MAX_BYTES)}"\n\n`],
    ['application/json', '{"jsonrpc":'],
    ['text/plain', 'hello'],
    ['application/json', '[1,2]'],
    ['application/json', '{"jsonrpc":"2.0","id":999999,"result":{}}'],
    ['application/json', '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"odd"}}'],
  ] as const;
  let at = 0;
  const { url } = await serve({
    'tools/call': (_, response) => {
      const [type, body] = bodies[at++] ?? [];
      response.writeHead(200, { 'content-type': type ?? '' }).end(body);
    },
  });
  const { call } = await connect(url);
  const codes = [];
  for (const _ of bodies) codes.push((await failure(call())).reason?.code);
  expect(codes).toEqual([
    'server_message_too_large',
    'server_message_too_large',
    'server_protocol_error',
    'server_protocol_error',
    'server_protocol_error',
    'server_protocol_error',
    'server_refused',
  ]);
});

test('a redirect that keeps method and origin is followed, another one is not', async () => {
  const { url } = await serve({
    initialize: (request, response) => {
      if (request.headers['x-moved'] !== undefined) return;
      initialized(response, request);
    },
    'tools/call': (_, response) =>
      response.writeHead(307, { location: 'http://localhost:1/' }).end(),
  });
  const moved = await serve({
    initialize: (request, response) => {
      const isMoved = request.headers['host']?.startsWith('127.0.0.1') === true;
      if (isMoved && moves++ === 0)
        return void response.writeHead(308, { location: '/other' }).end();
      initialized(response, request);
    },
  });
  let moves = 0;
  await connect(moved.url);
  expect(moves).toBe(2);
  const { call } = await connect(url);
  expect(await failure(call())).toMatchObject({ class: 'bad_response' });
});

test('a server that does not listen is told so', async () => {
  const error = await failure(connect('http://127.0.0.1:1/mcp'));
  expect(error).toMatchObject({ class: 'network', reason: { code: 'server_not_reached' } });
});

test('a request that is given up ends its stream and tells the server', async () => {
  const { url, received } = await serve({
    'tools/call': (_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': wait\n\n'),
  });
  const { connection } = await connect(url);
  const error = await failure(connection.request('tools/call', {}, { timeoutMs: 50 }));
  expect(error).toMatchObject({ class: 'timeout', reason: { code: 'server_timeout' } });
  await expect
    .poll(() => received.some(({ message }) => message.method === 'notifications/cancelled'))
    .toBe(true);
});

test('a server of the newer era gets the headers that repeat its body, and no session', async () => {
  const meta = 'io.modelcontextprotocol/protocolVersion';
  const { url, received } = await serve({
    initialize: ({ message: { id } }, response) =>
      response
        .writeHead(400)
        .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } })),
    'server/discover': ({ message: { id } }, response) => {
      const result = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
      json(response, { jsonrpc: '2.0', id, result });
    },
    'tools/call': ({ message: { id } }, response) =>
      json(response, { jsonrpc: '2.0', id, result: {} }),
  });
  const { connection } = await connect(url);
  expect(connection.info.era).toBe('modern');
  const params = { name: 'naïve', arguments: {} };
  await connection.request('tools/call', params, {
    timeoutMs: 60_000,
    headers: { 'mcp-param-region': 'eu' },
  });
  const call = received.find(({ message }) => message.method === 'tools/call');
  expect(call?.headers).toMatchObject({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': `=?base64?${Buffer.from('naïve').toString('base64')}?=`,
    'mcp-param-region': 'eu',
  });
  expect(call?.headers).not.toHaveProperty('mcp-session-id');
  expect(call?.message.params?.['_meta']).toMatchObject({ [meta]: '2026-07-28' });
});

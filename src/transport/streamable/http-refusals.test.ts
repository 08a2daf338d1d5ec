import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { jsonReply } from '../http/reply.ts';
import { ask, initialize, MODERN, modern, startMcpHttp, rpc } from './mcp-http.fixture.ts';

const CLIENT_RESPONSE = JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} });
const opened = { 'mcp-session-id': 'session-1' };
const body = rpc('work');
const gone = { 'mcp-session-id': 'no-such-session' };
const sse = { accept: 'text/event-stream' };

const BAD = [
  ['a missing Accept', { headers: { accept: '' }, body }, 406, -32_000, 'Accept'],
  [
    'an Accept of JSON alone',
    { headers: { accept: 'application/json' }, body },
    406,
    -32_000,
    'Accept',
  ],
  [
    'an Accept that excludes streams',
    { headers: { accept: '*/*, text/event-stream;q=0' }, body },
    406,
    -32_000,
    'Accept',
  ],
  [
    'another Content-Type',
    { headers: { 'content-type': 'text/plain' }, body },
    415,
    -32_000,
    'Content-Type',
  ],
  ['no Content-Type', { headers: { 'content-type': '' }, body }, 415, -32_000, 'Content-Type'],
  [
    'a compressed body',
    { headers: { 'content-encoding': 'gzip' }, body },
    415,
    -32_600,
    'Content-Encoding',
  ],
  ['a request without a session', { body }, 400, -32_000, 'Mcp-Session-Id'],
  ['a response without a session', { body: CLIENT_RESPONSE }, 400, -32_000, 'Mcp-Session-Id'],
  [
    'GET without a session',
    { method: 'GET', headers: sse },
    400,
    -32_000,
    'GET needs the Mcp-Session-Id',
  ],
  [
    'DELETE without a session',
    { method: 'DELETE' },
    400,
    -32_000,
    'DELETE needs the Mcp-Session-Id',
  ],
  ['an unknown session', { headers: gone, body }, 404, -32_001, 'initialize again'],
  [
    'GET of an unknown session',
    { method: 'GET', headers: { ...sse, ...gone } },
    404,
    -32_001,
    'initialize again',
  ],
  [
    'DELETE of an unknown session',
    { method: 'DELETE', headers: gone },
    404,
    -32_001,
    'initialize again',
  ],
  [
    'a session that is open',
    { headers: opened, body: rpc('initialize') },
    400,
    -32_600,
    'open already',
  ],
  [
    'a wrong version header',
    { headers: { ...opened, 'mcp-protocol-version': '2099-01-01' }, body },
    400,
    -32_000,
    '2025-11-25',
  ],
  [
    'GET with a wrong version',
    { method: 'GET', headers: { ...opened, ...sse, 'mcp-protocol-version': 'x' } },
    400,
    -32_000,
    'MCP-Protocol-Version',
  ],
  [
    'GET that takes no stream',
    { method: 'GET', headers: { ...opened, accept: 'application/json' } },
    406,
    -32_000,
    'Accept',
  ],
  [
    'an unknown event',
    { method: 'GET', headers: { ...opened, ...sse, 'last-event-id': '7-7' } },
    400,
    -32_000,
    'Last-Event-ID',
  ],
  [
    'a method of HTTP that is not served',
    { method: 'PUT', body },
    405,
    -32_000,
    'POST, GET and DELETE',
  ],
  ['a batch', { headers: opened, body: `[${body}]` }, 400, -32_600, 'Batches'],
  ['no JSON', { headers: opened, body: '{"jsonrpc"' }, 400, -32_700, 'Parse error'],
  ['no body', { headers: opened, body: '' }, 400, -32_700, 'Parse error'],
  [
    'bytes that are no UTF-8',
    { headers: opened, body: Buffer.from([0x22, 0xff, 0x22]) },
    400,
    -32_700,
    'UTF-8',
  ],
  [
    'a notification with odd params',
    { headers: opened, body: '{"jsonrpc":"2.0","method":"x","params":[]}' },
    400,
    -32_600,
    'params',
  ],
  [
    'a header that contradicts the body',
    { ...modern('tools/list'), headers: { 'mcp-protocol-version': '2025-11-25' } },
    400,
    -32_020,
    'MCP-Protocol-Version',
  ],
  [
    'a modern request without Mcp-Method',
    { ...modern('tools/list'), headers: { 'mcp-protocol-version': MODERN } },
    400,
    -32_020,
    'Mcp-Method',
  ],
  [
    'a modern notification with another Mcp-Method',
    { headers: { 'mcp-protocol-version': MODERN, 'mcp-method': 'y' }, body: rpc('x', {}, null) },
    400,
    -32_020,
    'Mcp-Method',
  ],
  [
    'a modern request without its metadata',
    { headers: { 'mcp-protocol-version': MODERN }, body },
    400,
    -32_602,
    '_meta',
  ],
  [
    'a token that is wrong',
    { headers: { authorization: 'Bearer wrong' }, body },
    401,
    -31_050,
    'token',
  ],
  [
    'a foreign Origin',
    { headers: { origin: 'https://evil.example' }, body },
    403,
    -31_051,
    'Origin',
  ],
  ['a hidden Origin', { headers: { origin: 'null' }, body }, 403, -31_051, 'Origin'],
  ['a foreign Host', { headers: { host: 'evil.example' }, body }, 403, -31_051, 'Host'],
] as const;

test.each(BAD)('%s is refused by name [http:headers]', async (_, asked, status, code, words) => {
  const { port, mcps } = await startMcpHttp();
  await initialize(port);
  const got = await ask(port, asked);
  const answer = JSON.parse(got.body) as {
    error: { code: number; message: string; data?: object };
  };
  expect([got.status, answer.error.code]).toEqual([status, code]);
  expect(answer.error.message).toContain(words);
  expect(got.headers['content-type']).toBe('application/json');
  expect([mcps.length, mcps[0]?.received.length]).toEqual([1, 1]);
});

verifies('http:headers', 'a refusal has the id of its request, and a class', async () => {
  const { port } = await startMcpHttp();
  expect(JSON.parse((await ask(port, { body: rpc('work', {}, 'mine') })).body)).toMatchObject({
    jsonrpc: '2.0',
    id: 'mine',
    error: { data: { error_class: 'bad_request' } },
  });
  const refused = await ask(port, { headers: { authorization: 'Bearer wrong' }, body });
  expect(refused.headers['www-authenticate']).toBe('Bearer realm="exai"');
  expect(JSON.parse(refused.body)).toMatchObject({
    id: null,
    error: { data: { error_class: 'auth' } },
  });
  const put = await ask(port, { method: 'PUT' });
  expect(put.headers.allow).toBe('POST, GET, DELETE, OPTIONS');
});

verifies('http:headers', 'headers that a tool wants are compared with its arguments', async () => {
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  const inputSchema = { type: 'object', properties: { region } };
  const { port } = await startMcpHttp({ tools: { where: { inputSchema } } });
  const call = modern('tools/call', { name: 'where', arguments: { region: 'eu' } });
  expect((await ask(port, call)).status).toBe(400);
  const headers = { ...call.headers, 'mcp-param-region': 'eu' };
  expect((await ask(port, { ...call, headers })).status).toBe(200);
  const other = { ...call.headers, 'mcp-param-region': 'us' };
  expect((await ask(port, { ...call, headers: other })).status).toBe(400);
  expect((await ask(port, modern('tools/call', { name: 'unknown' }))).status).toBe(200);
});

verifies('http:security', 'pages that were named may ask, and read the answer', async () => {
  const { port } = await startMcpHttp();
  const origin = 'https://app.example';
  const asked = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'mcp-param-region, x-evil, content-type',
  };
  const preflight = await ask(port, { method: 'OPTIONS', headers: asked });
  expect(preflight).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST, GET, DELETE',
      vary: 'origin',
    },
  });
  const allowed = String(preflight.headers['access-control-allow-headers']).split(', ');
  expect(allowed).toEqual(
    expect.arrayContaining([
      'authorization',
      'mcp-session-id',
      'last-event-id',
      'mcp-param-region',
    ]),
  );
  expect(allowed).not.toContain('x-evil');
  const got = await ask(port, { headers: { origin }, body: rpc('initialize') });
  expect(got.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': expect.stringContaining('mcp-session-id') as string,
    vary: 'origin',
  });
  const foreign = { ...asked, origin: 'https://evil.example' };
  const refused = await ask(port, { method: 'OPTIONS', headers: foreign });
  expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([
    403,
    undefined,
  ]);
  const program = await ask(port, { body: rpc('initialize') });
  expect(program.headers['access-control-allow-origin']).toBeUndefined();
});

verifies('http:security', 'a session is found by its principal alone', async () => {
  const { port } = await startMcpHttp();
  const mine = await initialize(port, { authorization: 'Bearer alice' });
  const theirs = { ...mine, authorization: 'Bearer mallory' };
  for (const method of ['POST', 'GET', 'DELETE']) {
    expect(
      (await ask(port, { method, headers: { ...sse, ...theirs, accept: '*/*' }, body })).status,
    ).toBe(404);
  }
  expect((await ask(port, { headers: mine, body })).status).toBe(200);
});

verifies('http:security', 'an unknown path is refused without asking who is there', async () => {
  const { port, mcps } = await startMcpHttp();
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/mcp/', '/MCP']) {
    const got = await ask(port, { path, headers: { authorization: 'Bearer wrong' }, body });
    expect([path, got.status]).toEqual([path, 404]);
  }
  const foreign = await ask(port, { path: '/x', headers: { origin: 'https://evil.example' } });
  expect([foreign.status, mcps.length]).toEqual([403, 0]);
  expect((await ask(port, { path: '/mcp?x=1', body: rpc('initialize') })).status).toBe(200);
});

verifies(
  'http:security',
  'what a page of another site loads is refused everywhere but at the probes',
  async () => {
    const route = { method: 'GET', handle: () => jsonReply(200, {}) } as const;
    const { port, mcps } = await startMcpHttp({
      routes: [
        { ...route, path: '/healthz', access: 'open' },
        { ...route, path: '/metrics', access: 'token' },
      ],
    });
    const paths = ['/healthz', '/metrics', '/missing', '/mcp', '/sse', '/messages?sessionId=x'];
    for (const site of ['cross-site', 'same-site']) {
      const headers = { accept: 'image/webp,*/*', 'sec-fetch-site': site };
      const got = await Promise.all(
        paths.map((path) => ask(port, { method: 'GET', path, headers })),
      );
      expect(got.map(({ status }) => status)).toEqual([200, 403, 403, 403, 403, 403]);
      expect(got[4]?.body).toContain('Pages of other sites');
    }
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' };
    expect((await ask(port, { headers, body: rpc('initialize') })).status).toBe(200);
    expect(mcps).toHaveLength(1);
  },
);

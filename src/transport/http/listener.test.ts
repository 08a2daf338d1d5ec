import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { verifies } from '../../../test/verifies.ts';
import {
  bears,
  closed,
  get,
  listen,
  okRoute,
  open,
  parseAnswer,
  readAll,
  recordingTracer,
  slowRoute,
} from './listener.fixture.ts';
import { probeRoutes } from './probe-routes.ts';
import type { Route } from './route-dispatcher.ts';

verifies(
  'daemon:drain',
  'a request that is running is answered before the listener is gone',
  async () => {
    const slow = slowRoute();
    const { listener } = await listen([slow.route]);
    const answer = get(listener, '/slow');
    await slow.begun;
    const drained = listener.drain(60_000);
    await expect(get(listener, '/slow')).rejects.toThrow('ECONNREFUSED');
    slow.finish();
    expect((await answer).status).toBe(200);
    await drained;
  },
);

verifies(
  'daemon:drain',
  'connections without a running request do not hold up a drain',
  async () => {
    const { listener } = await listen([]);
    const silent = await open(listener);
    const used = await open(listener);
    used.write('GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(used, 'data');
    const half = await open(listener);
    half.write('GET /x HTTP/1.1\r\nHos');
    const gone = Promise.all([silent, used, half].map(closed));
    await listener.drain(60_000);
    await gone;
  },
);

verifies('daemon:drain', 'a peer that never hangs up does not hold up a drain', async () => {
  const slow = slowRoute();
  const { listener } = await listen([slow.route]);
  const { port, host } = listener.bound;
  const socket = connect({ port, host, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await slow.begun;
  const drained = listener.drain(60_000);
  slow.finish();
  await drained;
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
});

verifies('daemon:drain', 'requests that do not finish in time are closed', async () => {
  const slow = slowRoute();
  const { listener, clock } = await listen([slow.route]);
  const answer = get(listener, '/slow');
  await slow.begun;
  const drained = listener.drain(1000);
  clock.advance(1000);
  await expect(answer).rejects.toThrow('socket hang up');
  await drained;
});

verifies('daemon:deny', 'a token is required where a route says so', async () => {
  const route: Route = { ...okRoute('/closed'), access: 'token' };
  const { listener } = await listen([route, okRoute('/open')], { isTrusted: bears('a secret') });
  expect((await get(listener, '/open')).status).toBe(200);
  const refused = await get(listener, '/closed');
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([
    401,
    'Bearer realm="exai"',
  ]);
  expect(JSON.parse(refused.body)).toMatchObject({ error: { class: 'auth' } });
  const { status } = await get(listener, '/closed', { authorization: 'Bearer a secret' });
  expect(status).toBe(200);
});

verifies('daemon:deny', 'a foreign Host is rejected on every path', async () => {
  const { listener } = await listen([okRoute('/open')]);
  for (const path of ['/open', '/missing']) {
    const refused = await get(listener, path, { host: 'evil.example' });
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([
      403,
      { error: { class: 'permission' } },
    ]);
  }
});

test('an unknown path is 404, a wrong method 405 with what is allowed', async () => {
  const { listener } = await listen([okRoute('/here')]);
  expect(await get(listener, '/there?x=1')).toMatchObject({
    status: 404,
    body: expect.stringContaining('Nothing is served at /there.') as string,
  });
  const wrong = await get(listener, '/here', {}, 'DELETE');
  expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD']);
});

test('HEAD gives the headers of GET and no body', async () => {
  const { listener } = await listen([okRoute('/here')]);
  const [head, full] = [await get(listener, '/here', {}, 'HEAD'), await get(listener, '/here')];
  expect(head.body).toBe('');
  expect(head.headers['content-length']).toBe(String(full.body.length));
  expect(head.headers['server'] ?? head.headers['x-powered-by']).toBeUndefined();
});

test('a route that throws is answered without secrets, and logged', async () => {
  const { listener, logged } = await listen([
    {
      ...okRoute('/broken'),
      handle: () => {
        throw new TypeError('sk-secret');
      },
    },
  ]);
  const answer = await get(listener, '/broken');
  expect(answer.status).toBe(500);
  expect(answer.body).not.toContain('sk-secret');
  expect(logged).toEqual(['http_failed']);
});

test('a request target that is not a path is a bad request, not a crash', async () => {
  const { listener } = await listen([]);
  const socket = await open(listener);
  socket.write('GET //[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect(data.toString()).toMatch(/^HTTP\/1\.1 400 /);
});

test.each([
  ['rubbish', 'no request at all\r\n\r\n', 400, 'bad_request'],
  ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'bad_request'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
    'bad_request',
  ],
  ['long headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(300_000)}\r\n\r\n`, 431, 'too_large'],
])(
  '%s is rejected with an explanation, then the connection is closed',
  async (_, sent, status, why) => {
    const { listener, logged } = await listen([okRoute('/')]);
    const socket = await open(listener);
    socket.write(sent);
    const answer = parseAnswer(await readAll(socket));
    expect(answer).toMatchObject({ status, body: { error: { class: why } } });
    expect(answer.head.toLowerCase()).toContain('connection: close');
    for (const name of ['x-exai-req-id', 'x-request-id', 'request-id'])
      expect(answer.head).toMatch(new RegExp(`^${name}: req_`, 'm'));
    expect(logged).toContain('http_refused');
  },
);

test('invalid input after a running request closes the connection after its response, which stays intact', async () => {
  const slow = slowRoute();
  const { listener } = await listen([slow.route]);
  const socket = await open(listener);
  socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await slow.begun;
  socket.write('rubbish\r\n\r\n');
  const all = readAll(socket);
  slow.finish();
  // The invalid input may be read after the response, and is then rejected.
  expect(await all).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\n[^H]*(?:HTTP\/1\.1 400 [^]*)?$/);
});

const SHORT_LIMITS = {
  maxHeaderSize: 1024,
  headersTimeout: 40,
  requestTimeout: 80,
  keepAliveTimeout: 20,
  connectionsCheckingInterval: 10,
};

test.each([
  ['says nothing', ''],
  ['stops in its headers', 'GET / HTTP/1.1\r\nHos'],
])('a peer that %s gets a 408', async (_, sent) => {
  const { listener } = await listen([okRoute('/')], { limits: SHORT_LIMITS });
  const socket = await open(listener);
  socket.write(sent);
  expect(parseAnswer(await readAll(socket))).toMatchObject({
    status: 408,
    body: { error: { class: 'timeout' } },
  });
});

test('a peer that sends its body slowly, or no further request, loses its connection', async () => {
  const { listener } = await listen([okRoute('/')], { limits: SHORT_LIMITS });
  for (const sent of ['', 'Content-Length: 9\r\n']) {
    const socket = await open(listener);
    socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\n${sent}\r\n`);
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test('an upgrade is ignored if nothing handles it', async () => {
  const { listener } = await listen([okRoute('/here')]);
  const { status } = await get(listener, '/here', WEBSOCKET);
  expect(status).toBe(200);
  expect((await get(listener, '/', WEBSOCKET)).status).toBe(404);
});

test('an upgrade to an unsupported protocol is served as a plain request', async () => {
  const { listener } = await listen([okRoute('/here')], { upgrade: () => expect.unreachable() });
  const h2c = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMA' };
  const answer = await get(listener, '/here?x=1', { ...h2c, 'x-name': 'ü' });
  expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
  expect((await get(listener, '/here', { ...h2c, host: 'evil.example' })).status).toBe(403);
  await listener.drain(60_000);
});

verifies('daemon:drain', 'an upgraded connection outlives the drain of the listener', async () => {
  const taken: Duplex[] = [];
  const { listener } = await listen([], {
    upgrade: (_request, socket) => {
      taken.push(socket);
      socket.write('yours');
    },
  });
  const socket = await open(listener);
  const lines = Object.entries(WEBSOCKET).map(([name, value]) => `${name}: ${value}`);
  socket.write(`GET /ws HTTP/1.1\r\nhost: localhost\r\n${lines.join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  await listener.drain(60_000);
  taken[0]?.write('still yours');
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect(data.toString()).toBe('still yours');
  taken[0]?.destroy();
});

test('an upgrade after a running request closes the connection', async () => {
  const slow = slowRoute();
  const { listener } = await listen([slow.route], { upgrade: () => expect.unreachable() });
  const socket = await open(listener);
  socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await slow.begun;
  const lines = Object.entries(WEBSOCKET).map(([name, value]) => `${name}: ${value}`);
  socket.write(`GET /ws HTTP/1.1\r\nhost: localhost\r\n${lines.join('\r\n')}\r\n\r\n`);
  expect(await readAll(socket)).toBe('');
  slow.finish();
});

verifies('tracing:otlp', 'each request is one span, by the conventions for HTTP', async () => {
  const { tracer, spans } = recordingTracer();
  const broken: Route = {
    ...okRoute('/broken'),
    handle: () => {
      throw new TypeError('a bug');
    },
  };
  const { listener } = await listen([okRoute('/here'), broken], { tracer });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await get(listener, '/here?secret=1', { traceparent });
  await get(listener, '/a/stranger/s/path');
  await get(listener, '/here', {}, 'PROPFIND');
  await get(listener, '/broken');
  const about = (method: string, route: string) => ({
    'http.request.method': method,
    'http.route': route,
    'url.path': route,
  });
  expect(spans).toEqual([
    {
      name: 'GET /here',
      options: { attributes: about('GET', '/here'), traceparent },
      set: { 'http.response.status_code': 200 },
      outcome: 'ok',
    },
    {
      name: 'GET',
      options: { attributes: { 'http.request.method': 'GET' } },
      set: { 'http.response.status_code': 404 },
      outcome: 'ok',
    },
    {
      name: 'HTTP /here',
      options: { attributes: about('_OTHER', '/here') },
      set: { 'http.response.status_code': 405 },
      outcome: 'ok',
    },
    {
      name: 'GET /broken',
      options: { attributes: about('GET', '/broken') },
      set: { 'http.response.status_code': 500 },
      outcome: 'internal',
    },
  ]);
});

verifies(
  'daemon:deny',
  'a caller without the token learns only whether the daemon is ready',
  async () => {
    const readiness = { ready: false, reason: 'PostgreSQL at db.lan is down.' };
    const routes = probeRoutes({
      version: '1',
      instance: '0123456789abcdef',
      pid: 4711,
      uptimeS: () => 1,
      readiness: () => Promise.resolve(readiness),
      metricsText: () => '',
    });
    const asked = async (token: string | undefined, headers: Record<string, string>) => {
      const { listener } = await listen(routes, { isTrusted: bears(token) });
      const { status, body } = await get(listener, '/readyz', headers);
      return [status, JSON.parse(body)];
    };
    const bearer = { authorization: 'Bearer a secret' };
    expect(await asked(undefined, {})).toEqual([503, readiness]);
    expect(await asked('a secret', bearer)).toEqual([503, readiness]);
    expect(await asked('a secret', {})).toEqual([503, { ready: false }]);
    expect(await asked('another', bearer)).toEqual([503, { ready: false }]);
  },
);

verifies('daemon:port-taken', 'a taken port is named, with the way to choose another', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };
  const refused = await listen([], { port }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(CallError);
  expect(refused).toMatchObject({ class: 'conflict', field: 'port' });
  expect(String(refused)).toContain(String(port));
  expect((refused as CallError).fix).toContain('--port');
});

const WEBSOCKET = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

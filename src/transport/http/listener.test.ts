import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { createIds } from '#core/ids.ts';
import type { Log, Metrics } from '#core/telemetry.ts';
import { verifies } from '../../../test/verifies.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { startListener, type HttpListener } from './listener.ts';
import { json, type Route } from './route.ts';

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

verifies('daemon:drain', 'what is not finished in its time is cut', async () => {
  const slow = slowRoute();
  const { listener, clock } = await listen([slow.route]);
  const answer = get(listener, '/slow');
  await slow.begun;
  const drained = listener.drain(1000);
  clock.advance(1000);
  await expect(answer).rejects.toThrow('socket hang up');
  await drained;
});

verifies('daemon:deny', 'a token is asked for where a route wants it', async () => {
  const route: Route = { ...okRoute('/closed'), access: 'token' };
  const { listener } = await listen([route, okRoute('/open')], 'a secret');
  expect((await get(listener, '/open')).status).toBe(200);
  const refused = await get(listener, '/closed');
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  expect(JSON.parse(refused.body)).toMatchObject({ error: { class: 'auth' } });
  const { status } = await get(listener, '/closed', { authorization: 'Bearer a secret' });
  expect(status).toBe(200);
});

verifies('daemon:deny', 'a foreign Host is refused on every path', async () => {
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

test('a route that throws is answered without its secrets, and logged', async () => {
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

test('a request target that is no path is a bad request, not a crash', async () => {
  const { listener } = await listen([]);
  const socket = await open(listener);
  socket.write('GET //[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect(data.toString()).toMatch(/^HTTP\/1\.1 400 /);
});

verifies('daemon:port-taken', 'a taken port is named, with the way to choose another', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };
  const refused = await listen([], undefined, port).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(CallError);
  expect(refused).toMatchObject({ class: 'conflict', field: 'port' });
  expect(String(refused)).toContain(String(port));
  expect((refused as CallError).fix).toContain('--port');
});

function okRoute(path: string): Route {
  return { method: 'GET', path, access: 'open', handle: () => json(200, { path }) };
}

function slowRoute() {
  let finish = () => {};
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const route: Route = {
    ...okRoute('/slow'),
    async handle() {
      begin();
      await finished;
      return json(200, {});
    },
  };
  return { route, begun, finish: () => finish() };
}

async function listen(routes: Route[], token?: string, port = 0) {
  const clock = createFakeClock();
  const logged: string[] = [];
  const note = (event: string) => void logged.push(event);
  const log: Log = { info: note, warn: note, error: note, with: () => log };
  const listener = await startListener({
    host: '127.0.0.1',
    port,
    routes,
    token,
    clock,
    newId: createIds(clock, (bytes) => new Uint8Array(bytes)),
    log,
    metrics: NO_METRICS,
  });
  onTestFinished(() => listener.drain(0));
  return { listener, clock, logged };
}

const NO_METRICS: Metrics = {
  counter: () => ({ add: () => undefined }),
  histogram: () => ({ observe: () => undefined }),
  gauge: () => undefined,
};

async function open({ bound }: HttpListener): Promise<Socket> {
  const socket = connect(bound.port, bound.host);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

function get(
  { bound }: HttpListener,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: IncomingMessage['headers']; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request(`${bound.url}${path}`, { method, headers, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += String(chunk)));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    call.on('error', reject);
    call.end();
  });
}

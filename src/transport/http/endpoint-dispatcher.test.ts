import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createIds } from '#core/ids.ts';
import { markLogged } from '#core/telemetry/logged-errors.ts';
import type { Log, Metrics, SpanOptions, Tracer } from '#core/telemetry/telemetry.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { get } from '../../../test/http-get.ts';
import { createReceiveBuffers } from './receive-buffers.ts';
import type { Endpoint } from './endpoint-dispatcher.ts';
import { startListener } from './listener.ts';
import { readBody } from './read-body.ts';

async function listen(handle: Endpoint['handle'], tracer: Tracer) {
  const clock = createFakeClock();
  const logged: string[] = [];
  const note = (event: string) => void logged.push(event);
  const log: Log = { info: note, warn: note, error: note, with: () => log };
  const answered: string[] = [];
  const metrics: Metrics = {
    counter: () => ({ add: (labels = {}) => void answered.push(Object.values(labels).join(' ')) }),
    histogram: () => ({ observe: () => undefined }),
    gauge: () => undefined,
  };
  const endpoint: Endpoint = {
    path: '/here',
    handle,
    refuse: (context, error) => context.answer(error.policy.status, 'text/plain', error.class),
  };
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes: [],
    endpoints: [endpoint],
    isTrusted: async () => true,
    clock,
    newId: createIds(clock, (bytes) => new Uint8Array(bytes)),
    log,
    metrics,
    tracer,
  });
  onTestFinished(() => listener.drain(0));
  return { url: `${listener.bound.url}/here`, port: listener.bound.port, logged, answered };
}

const NO_SPAN = { traceId: '0'.repeat(32), traceparent: undefined, set: () => undefined };
const OFF: Tracer = { isOff: true, span: (_name, _options, work) => work(NO_SPAN) };

/** Records the started spans and which one is active. */
function tracing() {
  const current = new AsyncLocalStorage<string>();
  const spans: [string, SpanOptions][] = [];
  const ended: string[] = [];
  const tracer: Tracer = {
    async span(name, options, work) {
      spans.push([name, options]);
      const result = await current.run(name, () => work(NO_SPAN));
      ended.push(name);
      return result;
    },
  };
  return { tracer, spans, ended, current };
}

test('work after a body has arrived in chunks belongs to the span of its request', async () => {
  const { tracer, spans, ended, current } = tracing();
  const seen: (string | undefined)[] = [];
  const limits = {
    maxBytes: 1000,
    setting: 'listener.maxBodyBytes' as const,
    receiveBuffers: createReceiveBuffers({ maxBytes: 1000, clock: createFakeClock() }),
  };
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const { port } = await listen((context) => {
    const take = () => {
      seen.push(current.getStore());
      context.answer(200, 'text/plain', 'ok');
    };
    readBody(context, 'local', limits, context.inSpan?.(take) ?? take);
    begin();
  }, tracer);
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(
    'POST /here HTTP/1.1\r\nhost: localhost\r\ntraceparent: x\r\ncontent-length: 4\r\n\r\nab',
  );
  await begun;
  socket.write('cd');
  await once(socket, 'data');
  await expect.poll(() => ended).toEqual(['POST /here']);
  expect(seen).toEqual(['POST /here']);
  expect(spans).toMatchObject([['POST /here', { traceparent: 'x' }]]);
  expect(limits.receiveBuffers.totalBytes).toBe(0);
});

test('a stream is one request, recorded when it ends', async () => {
  const { url, answered } = await listen((context) => {
    context.openStream();
    context.write('data: a\n\n');
    expect(answered).toEqual([]);
    context.end();
    context.write('after the end');
    context.answer(500, 'text/plain', 'too late');
  }, OFF);
  const got = await get(url);
  expect([got.status, got.body]).toEqual([200, 'data: a\n\n']);
  await expect.poll(() => answered).toEqual(['/here GET 200']);
});

test('an endpoint that throws affects only its own request, and is logged', async () => {
  const { url, logged } = await listen(() => {
    throw new TypeError('a secret');
  }, OFF);
  const got = await get(url);
  expect([got.status, got.body]).toEqual([500, 'internal']);
  expect(logged).toEqual(['http_failed']);
  expect((await get(url)).status).toBe(500);
});

test('every target that means the path finds it', async () => {
  const { port } = await listen((context) => context.answer(200, 'text/plain', 'ok'), OFF);
  for (const target of ['/here', '/here?x=1', 'http://localhost/here?x']) {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.toString()).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test('an error that was logged already is only counted', async () => {
  const { url, logged, answered } = await listen((context) => {
    const error = new CallError('validation', 'No.');
    if (context.request.url === '/here?told') markLogged(error);
    context.error = error;
    context.answer(422, 'text/plain', 'no');
  }, OFF);
  await get(`${url}?told`);
  await expect.poll(() => answered).toEqual(['/here GET 422']);
  expect(logged).toEqual([]);
  await get(url);
  await expect.poll(() => logged).toEqual(['http_refused']);
});

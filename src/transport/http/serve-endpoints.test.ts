import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { createIds } from '#core/ids.ts';
import { markLogged } from '#core/logged.ts';
import type { Log, Metrics, SpanOptions, Tracer } from '#core/telemetry.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { get } from '../../../test/http-get.ts';
import { createArriving } from './arriving.ts';
import type { Endpoint } from './endpoint.ts';
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
    refuse: (exchange, error) => exchange.answer(error.policy.status, 'text/plain', error.class),
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

/** Keeps the spans that were begun, and knows which one runs. */
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

test('what runs when a body has arrived piece by piece still belongs to the span of its request', async () => {
  const { tracer, spans, ended, current } = tracing();
  const seen: (string | undefined)[] = [];
  const limits = {
    maxBytes: 1000,
    setting: 'door.maxBodyBytes' as const,
    arriving: createArriving({ maxBytes: 1000, clock: createFakeClock() }),
  };
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const { port } = await listen((exchange) => {
    const take = () => {
      seen.push(current.getStore());
      exchange.answer(200, 'text/plain', 'ok');
    };
    readBody(exchange, 'local', limits, exchange.inSpan?.(take) ?? take);
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
  expect(limits.arriving.totalBytes).toBe(0);
});

test('a stream is one request, told of when it ends', async () => {
  const { url, answered } = await listen((exchange) => {
    exchange.openStream();
    exchange.write('data: a\n\n');
    expect(answered).toEqual([]);
    exchange.end();
    exchange.write('after the end');
    exchange.answer(500, 'text/plain', 'too late');
  }, OFF);
  const got = await get(url);
  expect([got.status, got.body]).toEqual([200, 'data: a\n\n']);
  await expect.poll(() => answered).toEqual(['/here GET 200']);
});

test('an endpoint that throws costs its own request alone, and is logged', async () => {
  const { url, logged } = await listen(() => {
    throw new TypeError('a secret');
  }, OFF);
  const got = await get(url);
  expect([got.status, got.body]).toEqual([500, 'internal']);
  expect(logged).toEqual(['http_failed']);
  expect((await get(url)).status).toBe(500);
});

test('every target that means the path finds it', async () => {
  const { port } = await listen((exchange) => exchange.answer(200, 'text/plain', 'ok'), OFF);
  for (const target of ['/here', '/here?x=1', 'http://localhost/here?x']) {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.toString()).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test('a refusal has one line: what was logged already is only counted', async () => {
  const { url, logged, answered } = await listen((exchange) => {
    const error = new CallError('validation', 'No.');
    if (exchange.request.url === '/here?told') markLogged(error);
    exchange.error = error;
    exchange.answer(422, 'text/plain', 'no');
  }, OFF);
  await get(`${url}?told`);
  await expect.poll(() => answered).toEqual(['/here GET 422']);
  expect(logged).toEqual([]);
  await get(url);
  await expect.poll(() => logged).toEqual(['http_refused']);
});

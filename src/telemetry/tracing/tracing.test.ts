import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { startOtlpReceiver } from '../../../test/otlp-receiver.ts';
import { verifies } from '../../../test/verifies.ts';
import { createTracing, resolveOtlpTarget, type TracingOptions } from './tracing.ts';
import { parseTraceparent } from './otlp.ts';

/** Stopping waits for the receiver as long as it may; here that need not be long. */
const hurried = { stopWithinMs: 200 };
const service = { serviceName: 'exai', serviceVersion: '1.2.3' };

async function receiver(manner?: 'silent') {
  const started = await startOtlpReceiver(manner);
  onTestFinished(() => started.close());
  return started;
}

verifies(
  'tracing:otlp',
  'spans arrive with their names, parents, attributes and resource',
  async () => {
    const { url, spans, requests } = await receiver();
    const { tracer, stop } = await createTracing({
      ...service,
      endpoint: url,
      headers: { 'x-a': 'b' },
    });
    const ids = await tracer.span(
      'outer',
      { attributes: { tool: 'chat', steps: 2 } },
      async (outer) => {
        await Promise.all(
          ['left', 'right'].map((name) =>
            tracer.span(name, {}, async (inner) => {
              await tracer.span(`${name} leaf`, {}, async () => {});
              inner.set('deep', true);
              inner.set('api_key', 'hunter2');
              inner.set('note', 'Bearer abcdef123');
            }),
          ),
        );
        return outer;
      },
    );
    await stop();

    expect(requests.map(({ path, headers }) => [path, headers['x-a']])).toEqual([
      ['/v1/traces', 'b'],
    ]);
    const named = (name: string) => spans.find((span) => span.name === name);
    expect(spans).toHaveLength(5);
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([ids.traceId]));
    expect(ids.traceparent).toBe(`00-${ids.traceId}-${named('outer')?.spanId}-01`);
    expect(named('outer')).toMatchObject({
      parentSpanId: undefined,
      attributes: { tool: 'chat', steps: 2 },
      resource: { 'service.name': 'exai', 'service.version': '1.2.3' },
    });
    for (const side of ['left', 'right']) {
      expect(named(side)?.parentSpanId).toBe(named('outer')?.spanId);
      expect(named(`${side} leaf`)?.parentSpanId).toBe(named(side)?.spanId);
      expect(named(side)?.attributes).toEqual({
        deep: true,
        api_key: '[redacted]',
        note: 'Bearer [redacted]',
      });
    }
  },
);

verifies('tracing:otlp', 'a failure marks the span with its class and nothing else', async () => {
  const { url, spans } = await receiver();
  const { tracer, stop } = await createTracing({ ...service, endpoint: url });
  const failures = [new CallError('timeout', 'Too late.'), new Error('the prompt was: secret')];
  for (const error of failures) {
    await expect(tracer.span('work', {}, () => Promise.reject(error))).rejects.toBe(error);
  }
  const thrower = tracer.span('sync', {}, () => {
    throw new Error('at once');
  });
  await expect(thrower).rejects.toThrow('at once');
  await stop();
  expect(spans.map(({ status, attributes, events }) => ({ status, attributes, events }))).toEqual(
    ['timeout', 'internal', 'internal'].map((errorClass) => ({
      status: { code: 2, message: errorClass },
      attributes: { 'error.type': errorClass },
      events: [],
    })),
  );
});

verifies(
  'tracing:otlp',
  'the trace of a caller goes on, and an invalid one is ignored',
  async () => {
    const { url, spans } = await receiver();
    const { tracer, stop } = await createTracing({ ...service, endpoint: url });
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const parent = `00-${trace}-00f067aa0ba902b7-01`;
    const sent = await tracer.span('joined', { traceparent: parent }, async (span) => span);
    const own = await tracer.span('own', { traceparent: 'garbage' }, async (span) => span);
    const unsampled = parent.replace(/01$/, '00');
    const quiet = await tracer.span('quiet', { traceparent: unsampled }, async (span) => span);
    await stop();
    expect(sent.traceId).toBe(trace);
    expect(sent.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    expect(own.traceId).not.toBe(trace);
    expect(quiet.traceparent).toMatch(/-00$/);
    expect(spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ['joined', '00f067aa0ba902b7'],
      ['own', undefined],
    ]);
  },
);

verifies('log:redaction', 'the name of a span carries no secret either', async () => {
  const { url, spans } = await receiver();
  const secrets = ['my own secret'];
  const { tracer, stop } = await createTracing({ ...service, endpoint: url, secrets });
  await tracer.span('GET /x?token=abcdef my own secret', {}, async () => {});
  await stop();
  expect(spans.map(({ name }) => name)).toEqual(['GET /x?token=[redacted] [redacted]']);
});

test('two tracings in one process do not see each other', async () => {
  const [a, b] = [await receiver(), await receiver()];
  const one = await createTracing({ ...service, endpoint: a.url });
  const two = await createTracing({
    ...service,
    tracesEndpoint: `${b.url}/custom`,
    serviceName: 'b',
  });
  await one.tracer.span('one', {}, () => two.tracer.span('two', {}, async () => {}));
  await Promise.all([one.stop(), two.stop(), one.stop()]);
  expect(a.spans.map((span) => span.name)).toEqual(['one']);
  expect(b.spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    ['two', undefined],
  ]);
  expect(b.requests[0]?.path).toBe('/custom');
});

verifies('tracing:otlp', 'a receiver that is down delays no work, and stopping ends', async () => {
  const gone = await startOtlpReceiver();
  await gone.close();
  const { tracer, stop } = await createTracing({ ...service, ...hurried, endpoint: gone.url });
  for (let n = 0; n < 10_000; n++) await tracer.span('work', {}, async () => n);
  await stop();
});

verifies(
  'tracing:otlp',
  'a receiver that never answers delays no work, and stopping ends',
  async () => {
    const { url, requests } = await receiver('silent');
    const { tracer, stop } = await createTracing({ ...service, ...hurried, endpoint: url });
    await tracer.span('work', {}, async () => {});
    await stop();
    expect(requests).toHaveLength(1);
  },
);

verifies(
  'tracing:otlp',
  'without a target nothing is loaded, and work runs all the same',
  async () => {
    const probe = fileURLToPath(
      new URL('../../../test/fixtures/tracing-probe.ts', import.meta.url),
    );
    const loaded = async (endpoint: string) => {
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--import',
        'tsx',
        probe,
        endpoint,
      ]);
      return stdout;
    };
    expect(JSON.parse(await loaded(''))).toEqual({
      answer: 42,
      traceId: '0'.repeat(32),
      packages: [],
    });
    expect(JSON.parse(await loaded('http://127.0.0.1:9'))).toMatchObject({
      answer: 42,
      packages: expect.arrayContaining(['@opentelemetry/api', '@opentelemetry/sdk-trace']),
    });
  },
);

test.each<[string, Partial<TracingOptions>, ReturnType<typeof resolveOtlpTarget>]>([
  ['nothing', {}, undefined],
  ['empty settings', { endpoint: '', tracesEndpoint: '', logfireToken: '' }, undefined],
  [
    'a base',
    { endpoint: 'http://h:4318/otlp/' },
    { url: 'http://h:4318/otlp/v1/traces', headers: {} },
  ],
  [
    'a full address before a base',
    { endpoint: 'http://a', tracesEndpoint: 'http://b/x' },
    { url: 'http://b/x', headers: {} },
  ],
  [
    'a Logfire token alone',
    { logfireToken: 'pylf_v1_us_abc' },
    {
      url: 'https://logfire-api.pydantic.dev/v1/traces',
      headers: { Authorization: 'pylf_v1_us_abc' },
    },
  ],
  [
    'a European Logfire token',
    { logfireToken: 'pylf_v1_eu_abc' },
    {
      url: 'https://logfire-eu.pydantic.dev/v1/traces',
      headers: { Authorization: 'pylf_v1_eu_abc' },
    },
  ],
  [
    'a Logfire token beside somebody else’s endpoint',
    { endpoint: 'https://example.org', logfireToken: 'pylf_v1_us_abc', headers: { a: 'b' } },
    { url: 'https://example.org/v1/traces', headers: { a: 'b' } },
  ],
])('%s leads to the right target', (_what, options, target) => {
  expect(resolveOtlpTarget({ ...service, ...options })).toEqual(target);
});

test.each(['nonsense', 'ftp://x', 'grpc://h:4317', 'http://', 'http://h:99999'])(
  'the endpoint %s is refused by a rejection, in either place',
  async (url) => {
    for (const place of [{ endpoint: url }, { tracesEndpoint: url }]) {
      const refused = createTracing({ ...service, ...place });
      await expect(refused).rejects.toMatchObject({ class: 'validation' });
    }
  },
);

const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

test.each([`00-${trace}-${span}-01`, `  00-${trace}-${span}-00 `, `01-${trace}-${span}-01-more`])(
  'the traceparent %j is understood',
  (header) => {
    expect(parseTraceparent(header)).toMatchObject({
      traceId: trace,
      spanId: span,
      isRemote: true,
    });
  },
);

test.each([
  '',
  `00-${trace}-${span}`,
  `00-${trace}-${span}-01-more`,
  `ff-${trace}-${span}-01`,
  `00-${'0'.repeat(32)}-${span}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace.toUpperCase()}-${span}-01`,
  `00-${trace}-${span}-zz`,
])('the traceparent %j is ignored', (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

test('a traceparent of absurd length is ignored', () => {
  expect(parseTraceparent(`01-${trace}-${span}-01-${'x'.repeat(1000)}`)).toBeUndefined();
});

import { join } from 'node:path';
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import { createIds } from '#core/ids.ts';
import type { Store } from '#core/stores/store.ts';
import { openStore } from '#store/open-store.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import { REFUSING_MANAGER } from '../../../test/refusing-manager.ts';
import { get } from '../../../test/http-get.ts';
import { envelopeOf } from '../../../test/read-envelope.ts';
import { makeStoreHome, type StoreHome } from '../../../test/stores.ts';
import { verifies } from '../../../test/verifies.ts';
import { openUpstreams } from '../providers/upstreams.ts';
import { buildEngine } from '../build-engine.ts';
import { openListeners, type Listeners } from './listeners.ts';
import { createLifecycle } from '../daemon/lifecycle.ts';
import { systemClock, systemRandom } from '../system.ts';

let home: StoreHome;
let store: Store;

beforeEach(async () => {
  home = await makeStoreHome('sqlite');
  store = await openStore({ ...home, writerId: 'writer_test' });
});

afterEach(async () => {
  await store.close();
  await home.remove();
});

/** Opens all listeners with the real engine. */
async function open(
  env: Record<string, string> = {},
): Promise<{ listeners: Listeners; metrics: () => string }> {
  const loaded = loadConfig({
    env: {
      EXAI_HOME: join(home.dataDir, '..'),
      EXAI_PORT: '0',
      EXAI_AUTH_REQUIRE_TOKEN: 'false',
      ...env,
    },
  });
  const clock = systemClock;
  const random = systemRandom;
  const newId = createIds(clock, random);
  const metrics = createMetrics({ redact: (text) => text });
  const tracer = {
    isOff: true as const,
    span: async <T>(_name: string, _options: object, work: (span: never) => Promise<T>) =>
      work({ traceId: '0'.repeat(32), traceparent: undefined, set: () => undefined } as never),
  };
  const { log } = home;
  const done = async () => undefined;
  const { settings } = store;
  const { modelDirectory: desk } = await openUpstreams({
    config: loaded.config,
    settings,
    clock,
    random,
    log,
  });
  let listeners: Listeners | undefined;
  const engine = await buildEngine({
    loaded,
    system: { clock, random, warn: () => undefined },
    host: '127.0.0.1',
    store,
    storedIn: 'SQLite in a folder',
    newId,
    telemetry: { log, crumbs: log, metrics, tracer, flush: done, stop: done },
    instance: 'i',
    startedAtMs: clock.now(),
    listeners: () => listeners,
    requestStop: () => undefined,
    modelDirectory: desk,
    manager: REFUSING_MANAGER,
    lifecycle: createLifecycle(clock),
  });
  listeners = await openListeners({
    config: loaded.config,
    port: 'configured',
    socketFile: join(home.dataDir, 'daemon.sock'),
    isLockIntact: () => true,
    engine,
    responses: store.responses,
    files: store.files,
    http: { routes: [], isTrusted: async () => true },
    clock,
    random,
    newId,
    log,
    metrics,
    tracer,
  });
  onTestFinished(() => listeners?.drain(0));
  return { listeners, metrics: () => metrics.text() };
}

const INFO = { name: 'test', version: '1' };

async function useTools(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('status');
  const result = await client.callTool({ name: 'version', arguments: {} });
  expect(envelopeOf(result)).toMatchObject({ status: 'success', tool: 'version' });
}

verifies('http:streamable', 'a client of the SDK works over HTTP in a session', async () => {
  const { listeners, metrics } = await open();
  const transport = new StreamableHTTPClientTransport(new URL(`${listeners.bound?.url}/mcp`));
  const client = new Client(INFO);
  await client.connect(transport);
  await useTools(client);
  expect(listeners.connections()).toBe(1);
  expect(metrics()).toContain('exai_http_sessions 1');
  await transport.terminateSession();
  expect(listeners.connections()).toBe(0);
  await client.close();
});

verifies('http:streamable', 'a client of the SDK works over HTTP without a session', async () => {
  const { listeners } = await open();
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${listeners.bound?.url}/mcp`)));
  await useTools(client);
  expect(listeners.connections()).toBe(0);
  await client.close();
});

verifies(
  'http:sse-2024',
  'a client of the SDK works over the HTTP+SSE transport of 2024',
  async () => {
    const { listeners } = await open();
    const client = new Client(INFO);
    await client.connect(new SSEClientTransport(new URL(`${listeners.bound?.url}/sse`)));
    await useTools(client);
    expect(listeners.connections()).toBe(1);
    await client.close();
  },
);

verifies('http:security', 'a configured token is required over HTTP, too', async () => {
  const { listeners } = await open({ EXAI_TOKEN: 'a-long-enough-token-of-the-owner' });
  const url = `${listeners.bound?.url}/mcp`;
  for (const authorization of ['', 'Bearer wrong']) {
    const refused = await get(url, authorization === '' ? {} : { authorization });
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      401,
      'Bearer realm="exai"',
    ]);
  }
  const headers = { authorization: 'Bearer a-long-enough-token-of-the-owner' };
  const client = new Client(INFO);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  await useTools(client);
  await client.close();
});

test('each refused HTTP request is logged once, with its request id', async () => {
  const { listeners } = await open({ EXAI_TOKEN: 'a-long-enough-token-of-the-owner' });
  const refusals = () => home.log.lines.filter(({ event }) => /refused|call_failed/.test(event));
  const wrong = { authorization: 'Bearer wrong' };
  for (const path of ['/v1/models', '/mcp']) {
    const before = refusals().length;
    const refused = await get(`${listeners.bound?.url}${path}`, wrong);
    expect(refused.status).toBe(401);
    await expect.poll(() => refusals().length).toBe(before + 1);
    expect(refusals().at(-1)).toMatchObject({
      event: 'http_refused',
      fields: { req_id: refused.headers['x-exai-req-id'], error: { class: 'auth' } },
    });
  }
  const before = refusals().length;
  const asked = await fetch(`${listeners.bound?.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer a-long-enough-token-of-the-owner',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: 'auto', messages: [{ role: 'user', content: 'Hello.' }] }),
  });
  expect(asked.ok).toBe(false);
  await asked.text();
  await expect.poll(() => refusals().length).toBe(before + 1);
  expect(refusals().at(-1)).toMatchObject({
    event: 'call_failed',
    fields: { req_id: asked.headers.get('x-exai-req-id') },
  });
});

test('a drain ends open streams and closes all connections', async () => {
  const { listeners } = await open();
  const client = new Client(INFO);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${listeners.bound?.url}/mcp`)));
  await client.ping();
  await listeners.drain(10_000);
  expect(listeners.connections()).toBe(0);
  await client.close();
});

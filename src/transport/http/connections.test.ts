import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createReceiveBuffers } from './receive-buffers.ts';
import type { Endpoint } from './endpoint-dispatcher.ts';
import type { HttpContext } from './http-context.ts';
import { listen, okRoute, open } from './listener.fixture.ts';
import { readBody } from './read-body.ts';

const HALF = 'POST /work HTTP/1.1\r\nhost: localhost\r\ncontent-length: 20000\r\n\r\nhalf of it';
const WHOLE = 'POST /work HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\nwhole';

/**
 * A listener with a low connection limit and one endpoint, which reads a body and responds when the
 * test says so.
 */
async function openPlaces(maxConnections: number) {
  const served: HttpContext[] = [];
  const begun: HttpContext[] = [];
  const made = { receiveBuffers: undefined as ReturnType<typeof createReceiveBuffers> | undefined };
  const endpoint: Endpoint = {
    path: '/work',
    handle(context) {
      begun.push(context);
      const receiveBuffers = (made.receiveBuffers ??= createReceiveBuffers({
        maxBytes: 1_000_000,
        clock,
      }));
      const limits = {
        maxBytes: 1_000_000,
        setting: 'listener.maxBodyBytes' as const,
        receiveBuffers,
      };
      readBody(context, 'local', limits, () => void served.push(context));
    },
    refuse: (context, error) => context.answer(error.policy.status, 'text/plain', error.message),
  };
  const { listener, clock, logged } = await listen([okRoute('/healthz')], {
    endpoints: [endpoint],
    maxConnections,
  });
  const send = async (text: string) => {
    const socket = await open(listener);
    socket.write(text);
    return socket;
  };
  return { clock, logged, served, begun, send, heldBytes: () => made.receiveBuffers?.totalBytes };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

async function statusOf(socket: Socket): Promise<string> {
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.toString().slice(9, 12);
}

verifies(
  'security:unfinished',
  'the slowest unfinished request is evicted for a new connection',
  async () => {
    const { clock, logged, served, begun, send, heldBytes } = await openPlaces(3);
    const running = await send(WHOLE);
    await until(() => served.length === 1);
    const steady = await send(HALF);
    const stalled = await send(HALF);
    await until(() => begun.length === 3);
    clock.advance(1000);
    steady.write('x'.repeat(10_000));
    await until(() => (heldBytes() ?? 0) > 10_000);
    const status = statusOf(stalled);
    const newcomer = await send(WHOLE);
    expect(await status).toBe('408');
    await once(stalled.resume(), 'close');
    await until(() => served.length === 2);
    steady.write('x'.repeat(20_000 - 10_000 - 'half of it'.length));
    await until(() => served.length === 3);
    for (const context of served) context.answer(200, 'text/plain', 'done');
    const statuses = await Promise.all([running, newcomer, steady].map(statusOf));
    expect([statuses, logged]).toEqual([['200', '200', '200'], ['http_evicted']]);
    expect(heldBytes()).toBe(0);
  },
);

verifies('security:unfinished', 'a complete request is never evicted', async () => {
  const { clock, logged, served, send } = await openPlaces(2);
  const running = [await send(WHOLE), await send(WHOLE)];
  await until(() => served.length === 2);
  clock.advance(60_000);
  expect(await statusOf(await send(WHOLE))).toBe('503');
  expect(await statusOf(await send('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'))).toBe(
    '200',
  );
  for (const context of served) context.answer(200, 'text/plain', 'done');
  expect(await Promise.all(running.map(statusOf))).toEqual(['200', '200']);
  expect(logged.filter((event) => event === 'http_evicted')).toEqual([]);
});

test('a new connection is evicted last, as its request may be on the way', async () => {
  const { clock, served, begun, send } = await openPlaces(2);
  const slow = await send(HALF);
  await until(() => begun.length === 1);
  clock.advance(1000);
  const fresh = await send('');
  const status = statusOf(slow);
  await send(WHOLE);
  expect(await status).toBe('408');
  await until(() => served.length === 1);
  expect(fresh.destroyed).toBe(false);
  for (const socket of [slow, fresh]) socket.destroy();
  served[0]?.answer(200, 'text/plain', 'done');
});

test('the 408 of an evicted request has a request id', async () => {
  const { clock, begun, send } = await openPlaces(1);
  const slow = await send(HALF);
  await until(() => begun.length === 1);
  clock.advance(1000);
  const answered = once(slow, 'data') as Promise<[Buffer]>;
  const next = await send(WHOLE);
  const [data] = await answered;
  expect(data.toString()).toMatch(/^HTTP\/1\.1 408 .*\r\nx-request-id: req_\w+\r\n/s);
  for (const socket of [slow, next]) socket.destroy();
});

test('a request that has just begun does not count as slow', async () => {
  const { begun, send } = await openPlaces(1);
  const first = await send(HALF);
  await until(() => begun.length === 1);
  expect(await statusOf(await send(WHOLE))).toBe('503');
  expect(first.destroyed).toBe(false);
  first.destroy();
});

test('input that arrives after a 408 starts nothing', async () => {
  const { clock, served, begun, send } = await openPlaces(1);
  const slow = await send(HALF);
  await until(() => begun.length === 1);
  clock.advance(1000);
  const status = statusOf(slow);
  const next = await send(WHOLE);
  slow.write('x'.repeat(20_000 - 'half of it'.length));
  expect(await status).toBe('408');
  await until(() => served.length === 1);
  served[0]?.answer(200, 'text/plain', 'done');
  expect(await statusOf(next)).toBe('200');
  expect([begun.length, served.length]).toEqual([2, 1]);
});

test.each([
  ['a short body', 'content-length: 1000', 'keep-alive'],
  ['a long one', 'content-length: 100000', 'close'],
  ['one of unknown length', 'transfer-encoding: chunked', 'close'],
])(
  'a caller whose token is rejected before %s has arrived: %s means %s',
  async (_, header, kept) => {
    const refuse = (context: HttpContext) => context.answer(401, 'text/plain', 'no');
    const endpoint: Endpoint = { path: '/work', handle: refuse, refuse };
    const { listener, clock } = await listen([], { endpoints: [endpoint] });
    const socket = await open(listener);
    socket.write(`POST /work HTTP/1.1\r\nhost: localhost\r\n${header}\r\n\r\n`);
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.toString().toLowerCase()).toContain(`connection: ${kept}`);
    clock.advance(1000);
    socket.destroy();
  },
);

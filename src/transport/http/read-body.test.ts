import { EventEmitter } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallError } from '#core/errors/call-error.ts';
import { verifies } from '../../../test/verifies.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createReceiveBuffers } from './receive-buffers.ts';
import type { HttpContext } from './http-context.ts';
import { readBody } from './read-body.ts';

const MIB = 1024 * 1024;

/** A request whose body the test sends, and what was read of it. */
function receive({
  headers = {} as Record<string, string>,
  maxBytes = 4 * MIB,
  maxArriving = 256 * MIB,
  principal = 'low',
}) {
  const emitter = new EventEmitter();
  const socket = { bytesRead: 0, remoteAddress: '127.0.0.1' };
  const request = Object.assign(emitter, { headers, socket, resume: () => undefined });
  const receiveBuffers = createReceiveBuffers({ maxBytes: maxArriving, clock: createFakeClock() });
  const bodies: (string | Buffer | CallError)[] = [];
  const limits = { maxBytes, setting: 'listener.maxBodyBytes' as const, receiveBuffers };
  const context = { request, isOpen: true } as unknown as HttpContext;
  readBody(context, principal, limits, (body) => void bodies.push(body));
  return { receiveBuffers, bodies, emitter, context };
}

/** Large bodies are read in a later turn of the event loop. */
async function end(emitter: EventEmitter): Promise<void> {
  emitter.emit('end');
  emitter.emit('close');
  await new Promise((resolve) => setImmediate(resolve));
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

verifies(
  'http:limits',
  'a body of a million tiny chunks takes no more memory than its size',
  async () => {
    const { receiveBuffers, bodies, emitter } = receive({});
    const before = usedBytes();
    for (let sent = 0; sent < MIB; sent++) emitter.emit('data', Buffer.from('x'));
    expect(usedBytes() - before).toBeLessThan(4 * MIB);
    expect(receiveBuffers.totalBytes).toBe(MIB);
    await end(emitter);
    expect([bodies[0]?.toString().length, receiveBuffers.totalBytes]).toEqual([MIB, 0]);
  },
);

test('a body in one chunk is neither counted nor copied', () => {
  const { receiveBuffers, bodies, emitter } = receive({ headers: { 'content-length': '5' } });
  emitter.emit('data', Buffer.from('whole'));
  expect(receiveBuffers.totalBytes).toBe(0);
  emitter.emit('end');
  expect(bodies).toEqual(['whole']);
});

test('a Content-Length alone reserves no memory', () => {
  const { receiveBuffers, emitter } = receive({ headers: { 'content-length': '4000000' } });
  emitter.emit('data', Buffer.from('x'));
  expect(receiveBuffers.totalBytes).toBe(4096);
  emitter.emit('close');
  expect(receiveBuffers.totalBytes).toBe(0);
});

verifies('http:limits', 'the incomplete bodies of one client leave room for others', () => {
  const { receiveBuffers, bodies, emitter } = receive({ maxArriving: MIB });
  emitter.emit('data', Buffer.alloc(MIB / 2));
  emitter.emit('data', Buffer.from('more'));
  expect(bodies).toMatchObject([{ class: 'over_capacity', retryAfterMs: 1000 }]);
  expect(receiveBuffers.totalBytes).toBe(0);
  const owner = receive({ maxArriving: MIB, principal: 'local' });
  owner.emitter.emit('data', Buffer.alloc(MIB / 2));
  owner.emitter.emit('data', Buffer.from('more'));
  expect(owner.bodies).toEqual([]);
});

test('the text is the same however it is split into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 20_000, size: 'max' }),
      fc.array(fc.integer({ min: 1, max: 9000 }), { maxLength: 30 }),
      fc.constantFrom<'said' | 'unsaid'>('said', 'unsaid'),
      async (text, sizes, length) => {
        const bytes = Buffer.from(text);
        const headers = { ...(length === 'said' && { 'content-length': String(bytes.length) }) };
        const { receiveBuffers, bodies, emitter } = receive({ headers });
        let from = 0;
        for (const size of [...sizes, bytes.length]) {
          if (from < bytes.length) emitter.emit('data', bytes.subarray(from, from + size));
          from += size;
        }
        await end(emitter);
        expect([bodies, receiveBuffers.totalBytes]).toEqual([[text], 0]);
      },
    ),
  );
});

test('large chunks are kept as they are, and counted', async () => {
  const { receiveBuffers, bodies, emitter } = receive({});
  const chunk = () => Buffer.from('x'.repeat(65_536));
  for (const each of ['a', 'b']) {
    emitter.emit('data', Buffer.from(each));
    emitter.emit('data', chunk());
  }
  expect(receiveBuffers.totalBytes).toBe(2 * (65_536 + 4096));
  await end(emitter);
  expect(bodies).toEqual([`a${'x'.repeat(65_536)}b${'x'.repeat(65_536)}`]);
  expect(receiveBuffers.totalBytes).toBe(0);
});

test.each([
  ['in large chunks', 65_536, 0],
  ['in small chunks', 1000, 0],
  ['while memory is short at first', 65_536, 4 * MIB],
])('a large body of a declared length is read whole %s', async (_, size, heldByAnother) => {
  const bytes = Buffer.from('0123456789'.repeat(600_000));
  const headers = { 'content-length': String(bytes.length) };
  const principal = 'local';
  const { receiveBuffers, bodies, emitter } = receive({
    headers,
    maxArriving: 8 * MIB,
    maxBytes: 8 * MIB,
    principal,
  });
  const other = receiveBuffers.open({
    principal,
    peer: '127.0.0.1',
    received: () => 0,
    drop: () => undefined,
  });
  expect(other.reserve(heldByAnother)).toBe(true);
  for (let at = 0; at < bytes.length; at += size) {
    if (at > bytes.length / 2) other.release();
    emitter.emit('data', Buffer.from(bytes.subarray(at, at + size)));
  }
  expect(receiveBuffers.totalBytes).toBeGreaterThanOrEqual(bytes.length);
  expect(receiveBuffers.totalBytes).toBeLessThan(bytes.length * 1.1);
  await end(emitter);
  expect(bytes.equals(bodies[0] as Buffer)).toBe(true);
  expect(receiveBuffers.totalBytes).toBe(0);
});

test('of large bodies at once, one is gathered in each turn of the event loop', async () => {
  const requests = [1, 2].map(() =>
    receive({ headers: { 'content-length': String(8 * MIB) }, maxBytes: 8 * MIB }),
  );
  const chunks = (count: number) => {
    for (const { emitter } of requests)
      for (let sent = 0; sent < count; sent++) emitter.emit('data', Buffer.alloc(MIB));
  };
  const held = () => requests.map(({ receiveBuffers }) => receiveBuffers.totalBytes);
  chunks(3);
  expect(held()).toEqual([8 * MIB, 3 * MIB]);
  await new Promise((resolve) => setImmediate(resolve));
  chunks(1);
  expect(held()).toEqual([8 * MIB, 8 * MIB]);
  for (const { emitter } of requests) emitter.emit('close');
});

test('a large body is gathered once a quarter of it has arrived', async () => {
  await new Promise((resolve) => setImmediate(resolve));
  const { receiveBuffers, emitter } = receive({
    headers: { 'content-length': String(8 * MIB) },
    maxBytes: 8 * MIB,
  });
  const chunk = () => emitter.emit('data', Buffer.alloc(MIB));
  for (let sent = 0; sent < 2; sent++) chunk();
  expect(receiveBuffers.totalBytes).toBe(2 * MIB);
  chunk();
  expect(receiveBuffers.totalBytes).toBe(8 * MIB);
  emitter.emit('close');
  expect(receiveBuffers.totalBytes).toBe(0);
});

verifies(
  'stalls:turns',
  'large bodies at once are read in a turn of the event loop each',
  async () => {
    const turns: number[] = [];
    let turn = 0;
    const requests = [1, 2, 3, 4].map(() => receive({ headers: { 'content-length': '40000' } }));
    for (const { emitter } of requests) {
      emitter.emit('data', Buffer.from('x'.repeat(40_000)));
      emitter.emit('end');
    }
    while (requests.some(({ bodies }) => bodies.length === 0)) {
      await new Promise((resolve) => setImmediate(resolve));
      turn += 1;
      const read = requests.filter(({ bodies }) => bodies.length > 0).length;
      turns.push(read);
    }
    expect(turn).toBeGreaterThanOrEqual(requests.length - 1);
    expect(turns.slice(0, 3)).toEqual([1, 2, 3]);
  },
);

test('a large body is not read any more when its client has left', async () => {
  const { receiveBuffers, bodies, emitter, context } = receive({});
  emitter.emit('data', Buffer.from('x'.repeat(40_000)));
  emitter.emit('end');
  Object.assign(context, { isOpen: false });
  await new Promise((resolve) => setImmediate(resolve));
  expect([bodies, receiveBuffers.totalBytes]).toEqual([[], 0]);
});

test.each([
  ['too large', 'too_large', [Buffer.alloc(1024), Buffer.alloc(1)]],
  ['not UTF-8', 'bad_request', [Buffer.from([0xff])]],
])('a body that is %s is rejected one time', (_, errorClass, chunks) => {
  const { receiveBuffers, bodies, emitter } = receive({ maxBytes: 1024 });
  for (const chunk of chunks) emitter.emit('data', chunk);
  for (const event of ['end', 'close']) emitter.emit(event);
  expect([bodies, receiveBuffers.totalBytes]).toMatchObject([[{ class: errorClass }], 0]);
});

import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import type { CallError } from '#core/errors/call-error.ts';
import { answerWith, failureOf, get, httpFor, serve, serveRaw, textOf } from './net.fixture.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
test.each<[string, string, 'end' | 'reset', string]>([
  ['nothing, then hangs up', '', 'end', 'network'],
  ['nothing, then resets', '', 'reset', 'network'],
  ['half a head', 'HTTP/1.1 200 O', 'end', 'network'],
  ['less than announced', `${OK}content-length: 10\r\n\r\nabc`, 'end', 'network'],
  ['less than announced, then resets', `${OK}content-length: 10\r\n\r\nabc`, 'reset', 'network'],
  [
    'less, and says it closes',
    `${OK}connection: close\r\ncontent-length: 9\r\n\r\nabc`,
    'end',
    'network',
  ],
  ['chunks without an end', `${CHUNKED}3\r\nabc\r\n`, 'end', 'network'],
  [
    'chunks without an end, and closes',
    `${OK}connection: close\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n`,
    'end',
    'network',
  ],
  ['a chunk size that is none', `${CHUNKED}zz\r\n`, 'end', 'bad_response'],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'end', 'bad_response'],
  ['a status that is none', 'HTTP/1.1 abc OK\r\n\r\n', 'end', 'bad_response'],
  ['an unknown version', 'HTTP/9.9 200 OK\r\n\r\n', 'end', 'bad_response'],
  ['a header without a name', `${OK}: x\r\n\r\n`, 'end', 'bad_response'],
  [
    'both lengths',
    `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    'end',
    'network',
  ],
  ['two lengths', `${OK}content-length: 3\r\ncontent-length: 4\r\n\r\nabcd`, 'end', 'network'],
  ['endless headers', `${OK}${'x: y\r\n'.repeat(50_000)}`, 'end', 'bad_response'],
  [
    'an unrequested upgrade',
    'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    'end',
    'network',
  ],
  ['a continue nobody asked for', 'HTTP/1.1 100 Continue\r\n\r\n', 'end', 'network'],
])('a server that answers with %s fails once, with a class', async (_, bytes, end, errorClass) => {
  const server = await serveRaw((socket) => {
    socket.once('data', () => {
      if (end === 'end') socket.end(bytes);
      else socket.write(bytes, () => socket.resetAndDestroy());
    });
  });
  const http = httpFor();
  const work = http
    .send(get(`${server.url}/path?key=hidden`))
    .then((response) => response.text(1e6));
  const error = await failureOf(work);
  expect(error.class).toBe(errorClass);
  expect(error.message).toContain(`127.0.0.1:${server.port}`);
  expect(error.message).not.toContain('hidden');
  await server.untilQuiet();
});

test.each(['content-length: 1000000', 'transfer-encoding: chunked', 'x-no: length'])(
  'an unread response whose server goes away (%s) does no harm',
  async (header) => {
    const ways = [1000, 300_000].flatMap((size) => [
      { size, end: 'end' as const },
      { size, end: 'resetAndDestroy' as const },
    ]);
    for (const { size, end } of ways) {
      let tellGone: () => void;
      const gone = new Promise<void>((resolve) => (tellGone = resolve));
      const server = await serveRaw((socket) => {
        socket.once('finish', () => tellGone()).once('close', () => tellGone());
        socket.once('data', () => {
          socket.write(`${OK}connection: close\r\n${header}\r\n\r\n`);
          if (header.endsWith('chunked')) socket.write('100000\r\n');
          socket.write(Buffer.alloc(size), () => socket[end]());
        });
      });
      const { body } = await httpFor().send(get(server.url));
      await gone;
      const outcome = await textOf(body).then(
        (text) => text.length,
        (error: unknown) => (error as CallError).class,
      );
      // Without a length, a reset that comes with the last bytes looks like an end to the system.
      const whole = header === 'x-no: length' ? [size] : [];
      const partial = end === 'resetAndDestroy' && typeof outcome === 'number' ? [outcome] : [];
      expect(['network', ...whole, ...(whole.length > 0 ? partial : [])]).toContain(outcome);
    }
  },
);

test('a reset is not the end of a response without a length', async () => {
  const server = await serveRaw(answerWith(`${OK}connection: close\r\n\r\nabc`));
  const { body } = await httpFor().send(get(server.url));
  const iterator = body[Symbol.asyncIterator]();
  await iterator.next();
  const next = failureOf(iterator.next());
  server.sockets[0]?.resetAndDestroy();
  expect((await next).class).toBe('network');
});

test('what came before the connection broke is still handed out', async () => {
  const cut = `${OK}content-length: 10\r\n\r\nabc`;
  const server = await serveRaw((socket) => void socket.once('data', () => socket.end(cut)));
  const { body } = await httpFor().send(get(server.url));
  await server.untilQuiet();
  const iterator = body[Symbol.asyncIterator]();
  expect(Buffer.from((await iterator.next()).value ?? []).toString()).toBe('abc');
  expect((await failureOf(iterator.next())).class).toBe('network');
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
});

test('a port without a listener refuses', async () => {
  const server = await serveRaw(() => undefined);
  server.server.close();
  await once(server.server, 'close');
  const error = await failureOf(httpFor().send(get(server.url)));
  expect([error.class, error.message]).toEqual([
    'network',
    `127.0.0.1:${server.port} refused the connection.`,
  ]);
});

test.each([
  ['ENOTFOUND', 'network', 'The name vendor.test is unknown.'],
  ['EAI_AGAIN', 'network', 'The name vendor.test cannot be looked up now.'],
])('a name that fails with %s says so', async (code, errorClass, message) => {
  const http = httpFor({
    resolve: () => Promise.reject(Object.assign(new Error('x'), { code })),
  });
  const error = await failureOf(http.send(get('https://user:pass@vendor.test/a?key=b')));
  expect([error.class, error.message]).toEqual([errorClass, message]);
});

test('a server that does not speak TLS is reported with the fix', async () => {
  const server = await serve((_, response) => response.end());
  const error = await failureOf(httpFor().send(get(`https://127.0.0.1:${server.port}/`)));
  expect([error.class, error.fix]).toEqual(['network', 'Try http:// instead of https://.']);
});

test('a name without addresses is a failure of the network', async () => {
  const http = httpFor({ resolve: () => Promise.resolve([]) });
  expect((await failureOf(http.send(get('http://vendor.test/')))).class).toBe('network');
});

test('when one address of a name is dead, the next is tried', async () => {
  const server = await serve((_, response) => response.end('here'));
  const http = httpFor({
    resolve: () =>
      Promise.resolve([
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ]),
  });
  const response = await http.send(get(`http://vendor.test:${server.port}/`));
  expect(await response.text(10)).toBe('here');
});

test('a connection that does not come about ends after ten seconds', async () => {
  const clock = createFakeClock();
  const http = httpFor({ clock, resolve: () => new Promise(() => undefined) });
  const sending = failureOf(http.send(get('http://vendor.test/')));
  await clock.untilWaiting();
  clock.advance(9999);
  clock.advance(1);
  const error = await sending;
  expect([error.class, error.message]).toEqual([
    'timeout',
    'vendor.test did not take a connection within 10 seconds.',
  ]);
  expect(clock.waiting).toBe(0);
});

test.each(['', 'nonsense', 'ftp://a.test/', 'file:///etc/passwd', 'http://', 'javascript:1'])(
  'the address %j is refused',
  async (url) => {
    expect((await failureOf(httpFor().send(get(url)))).class).toBe('validation');
  },
);

test.each([
  { authorization: 'a\r\nx: y' },
  { 'bad name': 'x' },
  { 'transfer-encoding': 'chunked' },
  { expect: '100-continue' },
  { 'content-length': 'abc' },
])('the headers %j are refused without showing them', async (headers) => {
  const server = await serve((_, response) => response.end());
  const error = await failureOf(httpFor().send(get(server.url, { headers })));
  expect(error.class).toBe('bad_request');
  expect(error.message).toBe(`The request to 127.0.0.1:${server.port} cannot be sent as it is.`);
});

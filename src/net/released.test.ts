import { getEventListeners, once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { verifies } from '../../test/verifies.ts';
import { CallError } from '#core/errors/call-error.ts';
import { answerWith, failureOf, get, httpFor, serve, serveRaw, textOf } from './net.fixture.ts';

const REASON = new CallError('cancelled', 'The caller has gone.');

function stopper() {
  const controller = new AbortController();
  const listeners = () => getEventListeners(controller.signal, 'abort').length;
  return { signal: controller.signal, stop: () => controller.abort(REASON), listeners };
}

verifies('net:released', 'a request that was aborted before sends nothing', async () => {
  const server = await serve((_, response) => response.end());
  const it = stopper();
  it.stop();
  expect(await failureOf(httpFor().send(get(server.url, { signal: it.signal })))).toBe(REASON);
  expect(server.sockets).toEqual([]);
});

verifies('net:released', 'an abort while a name is resolved rejects at once', async () => {
  const clock = createFakeClock();
  const it = stopper();
  const http = httpFor({ clock, resolve: () => new Promise(() => undefined) });
  const sending = failureOf(http.send(get('http://vendor.test/', { signal: it.signal })));
  await clock.untilWaiting();
  it.stop();
  expect(await sending).toBe(REASON);
  await expect.poll(() => [clock.waiting, it.listeners()]).toEqual([0, 0]);
});

verifies('net:released', 'an abort during the TLS handshake closes it', async () => {
  const server = await serveRaw((socket) => void socket.resume());
  const it = stopper();
  const url = `https://127.0.0.1:${server.port}/`;
  const sending = failureOf(httpFor().send(get(url, { signal: it.signal })));
  await once(server.server, 'connection');
  it.stop();
  expect(await sending).toBe(REASON);
  await server.untilQuiet();
  expect(it.listeners()).toBe(0);
});

verifies('net:released', 'an aborted request leaves the queue', async () => {
  const server = await serveRaw((socket) => void socket.resume());
  const http = httpFor({ maxConnections: 1 });
  const first = stopper();
  const second = stopper();
  const running = failureOf(http.send(get(server.url, { signal: first.signal })));
  await once(server.server, 'connection');
  const queued = failureOf(http.send(get(server.url, { signal: second.signal })));
  second.stop();
  expect(await queued).toBe(REASON);
  first.stop();
  expect(await running).toBe(REASON);
  await server.untilQuiet();
  expect(server.sockets).toHaveLength(1);
  expect([first.listeners(), second.listeners()]).toEqual([0, 0]);
});

verifies('net:released', 'an abort before the headers closes the socket', async () => {
  const server = await serveRaw((socket) => void socket.resume());
  const it = stopper();
  const sending = failureOf(httpFor().send(get(server.url, { signal: it.signal })));
  await once(server.server, 'connection');
  it.stop();
  expect(await sending).toBe(REASON);
  await server.untilQuiet();
  expect(it.listeners()).toBe(0);
});

verifies('net:released', 'an abort during the body rejects with the reason at once', async () => {
  const server = await serve((_, response) => void response.write('abc'));
  const it = stopper();
  const { body } = await httpFor().send(get(server.url, { signal: it.signal }));
  const iterator = body[Symbol.asyncIterator]();
  await iterator.next();
  const next = failureOf(iterator.next());
  it.stop();
  expect(await next).toBe(REASON);
  await server.untilQuiet();
  expect(it.listeners()).toBe(0);
});

verifies('net:released', 'buffered bytes are not returned after an abort', async () => {
  const server = await serve((_, response) => response.end('abc'));
  const it = stopper();
  const http = httpFor();
  const { body } = await http.send(get(server.url, { signal: it.signal }));
  await (await http.send(get(server.url))).text(10);
  it.stop();
  expect(await failureOf(body[Symbol.asyncIterator]().next())).toBe(REASON);
  expect(it.listeners()).toBe(0);
});

verifies('net:released', 'a reader that stops early closes the socket', async () => {
  const server = await serve((_, response) => void response.write('abc'));
  const it = stopper();
  const { body } = await httpFor().send(get(server.url, { signal: it.signal }));
  for await (const chunk of body) if (chunk.length > 0) break;
  await server.untilQuiet();
  expect(it.listeners()).toBe(0);
});

verifies('net:released', 'an exchange that ended well leaves no listener', async () => {
  const server = await serve((_, response) => response.end('abc'));
  const it = stopper();
  const response = await httpFor().send(get(server.url, { signal: it.signal }));
  await response.text(10);
  expect(it.listeners()).toBe(0);
});

verifies('net:released', 'an exchange that failed leaves neither socket nor listener', async () => {
  const server = await serveRaw(answerWith('nonsense\r\n\r\n'));
  const it = stopper();
  await failureOf(httpFor().send(get(server.url, { signal: it.signal })));
  await server.untilQuiet();
  expect(it.listeners()).toBe(0);
});

describe('closing', () => {
  test('ends what is under way, wherever it stands, and refuses what comes after', async () => {
    const server = await serveRaw((socket) => void socket.resume());
    const talker = await serve((_, response) => void response.write('abc'));
    const http = httpFor({ maxConnections: 1 });
    const { body } = await http.send(get(talker.url));
    const reading = failureOf(textOf(body));
    const running = failureOf(http.send(get(server.url)));
    await once(server.server, 'connection');
    const queued = failureOf(http.send(get(server.url)));
    await http.close();
    await server.untilQuiet();
    await talker.untilQuiet();
    const errors = [
      await reading,
      await running,
      await queued,
      await failureOf(http.send(get(server.url))),
    ];
    expect(errors.map((error) => error.class)).toEqual(errors.map(() => 'interrupted'));
  });

  test('ends a connection that is being made', async () => {
    const server = await serveRaw((socket) => void socket.resume());
    const http = httpFor();
    const sending = failureOf(http.send(get(`https://127.0.0.1:${server.port}/`)));
    await once(server.server, 'connection');
    await http.close();
    expect((await sending).class).toBe('interrupted');
    await server.untilQuiet();
  });

  test('closes idle connections, and does so twice without harm', async () => {
    const server = await serve((_, response) => response.end('x'));
    const http = httpFor();
    await (await http.send(get(server.url))).text(10);
    await http.close();
    await http.close();
    await server.untilQuiet();
    expect(server.sockets).toHaveLength(1);
  });

  test('is possible before anything was sent', async () => {
    const http = httpFor();
    await http.close();
    expect((await failureOf(http.send(get('http://a.test/')))).class).toBe('interrupted');
  });
});

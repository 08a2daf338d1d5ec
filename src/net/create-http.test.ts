import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { answerWith, failureOf, get, httpFor, serve, serveRaw, textOf } from './net.fixture.ts';

const OK = 'HTTP/1.1 200 OK\r\n';

function received(request: IncomingMessage): Promise<string> {
  return textOf(request).catch(() => 'cut off');
}

test('a request arrives as it was given, and its answer is read', async () => {
  const server = await serve((request, response) => {
    void received(request).then((body) => {
      response.writeHead(201, { 'X-Vendor-Id': 'abc', 'Set-Cookie': ['a=1', 'b=2'] });
      response.end(JSON.stringify({ method: request.method, url: request.url, body }));
    });
  });
  const response = await httpFor().send({
    ...get(`${server.url}/v1/chat?x=1`),
    method: 'POST',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    body: '{"a":"ä"}',
  });
  expect(response.status).toBe(201);
  expect(response.headers['x-vendor-id']).toBe('abc');
  expect(response.headers['set-cookie']).toBe('a=1, b=2');
  expect(JSON.parse(await response.text(1000))).toEqual({
    method: 'POST',
    url: '/v1/chat?x=1',
    body: '{"a":"ä"}',
  });
});

test('headers with the names of prototypes are headers like any other', async () => {
  const server = await serveRaw(
    answerWith(`${OK}__proto__: a\r\nconstructor: b\r\ncontent-length: 0\r\n\r\n`),
  );
  const { headers } = await httpFor().send(get(server.url));
  expect(Object.entries(headers)).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
    ['content-length', '0'],
  ]);
  expect(headers['toString']).toBeUndefined();
});

test('a redirect is an answer like any other', async () => {
  const server = await serve((_, response) => {
    response.writeHead(302, { location: '/elsewhere' }).end('moved');
  });
  const response = await httpFor().send(get(server.url));
  expect([response.status, await response.text(10)]).toEqual([302, 'moved']);
});

test('a user and a password in the address are sent as such', async () => {
  const server = await serve((request, response) => response.end(request.headers.authorization));
  const url = `http://me:p%40ss@127.0.0.1:${server.port}/`;
  const response = await httpFor().send(get(url));
  expect(await response.text(100)).toBe(`Basic ${btoa('me:p@ss')}`);
});

test('a byte order mark is taken off, and what is not UTF-8 is replaced', async () => {
  const server = await serve((_, response) => {
    response.end(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff]));
  });
  expect(await (await httpFor().send(get(server.url))).text(10)).toBe('a\u{FFFD}');
});

test('connections are used again, the last one first', async () => {
  const server = await serve((_, response) => response.end('x'));
  const http = httpFor();
  for (let round = 0; round < 5; round += 1) {
    await (await http.send(get(server.url))).text(10);
  }
  expect(server.sockets).toHaveLength(1);
});

test('chunks come as they are sent, long before the end', async () => {
  const steps: string[] = [];
  const server = await serve((_, response) => {
    response.write('one');
    server.server.once('go', () => response.end('two'));
  });
  const { body } = await httpFor().send(get(server.url));
  for await (const chunk of body) {
    steps.push(Buffer.from(chunk).toString());
    server.server.emit('go');
  }
  expect(steps).toEqual(['one', 'two']);
});

test('a body beyond the limit is cut off, and its connection closed', async () => {
  const server = await serve((_, response) => {
    response.write(Buffer.alloc(5000));
  });
  const response = await httpFor().send(get(server.url));
  const error = await failureOf(response.text(4999));
  expect([error.class, error.message]).toEqual([
    'too_large',
    `127.0.0.1:${server.port} answers with more than 4999 bytes.`,
  ]);
  await server.untilQuiet();
});

test('a fast sender waits for a slow reader, and nothing is lost', async () => {
  const size = 20 * 1024 * 1024;
  let sent = 0;
  const server = await serve((_, response) => {
    const piece = Buffer.alloc(64 * 1024, 7);
    const more = () => {
      while (sent < size) {
        sent += piece.length;
        if (!response.write(piece)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  const http = httpFor();
  const { body } = await http.send(get(server.url));
  let before = -1;
  await expect
    .poll(() => {
      const still = sent === before;
      before = sent;
      return still;
    })
    .toBe(true);
  // Whatever the system buffers, it is not all of it.
  expect(sent).toBeLessThan(size);
  let read = 0;
  for await (const chunk of body) read += chunk.length;
  expect(read).toBe(size);
  // The connection, once held back, is as good as new.
  sent = size;
  expect(await (await http.send(get(server.url))).text(10)).toBe('');
  expect(server.sockets).toHaveLength(1);
});

test('requests beyond the number of connections wait their turn', async () => {
  let running = 0;
  let most = 0;
  const server = await serve((_, response) => {
    most = Math.max(most, (running += 1));
    setImmediate(() => {
      running -= 1;
      response.end('x');
    });
  });
  const http = httpFor({ maxConnections: 2 });
  const all = Array.from({ length: 20 }, async () => (await http.send(get(server.url))).text(10));
  expect(await Promise.all(all)).toHaveLength(20);
  expect(most).toBeLessThanOrEqual(2);
  expect(server.sockets).toHaveLength(2);
});

test('too many that wait are refused', async () => {
  const server = await serveRaw(() => undefined);
  const http = httpFor({ maxConnections: 1 });
  const stops = Array.from({ length: 17 }, () => new AbortController());
  await failureOf(http.send(get('not a url')));
  const waiting = stops.map(({ signal }) => http.send(get(server.url, { signal })));
  const outcomes = Promise.allSettled(waiting);
  expect((await failureOf(http.send(get(server.url)))).class).toBe('over_capacity');
  for (const stop of stops) stop.abort(new CallError('cancelled', 'enough'));
  expect((await outcomes).map(({ status }) => status)).toEqual(waiting.map(() => 'rejected'));
});

describe('what is sent as a stream', () => {
  async function* pieces(...texts: string[]) {
    for (const text of texts) yield Buffer.from(text);
  }

  test('goes out in chunks, or with the length that its headers name', async () => {
    const server = await serve((request, response) => {
      void received(request).then((body) =>
        response.end(
          `${body} ${request.headers['transfer-encoding']} ${request.headers['content-length']}`,
        ),
      );
    });
    const http = httpFor();
    const post = (headers: Record<string, string>) =>
      http.send({ ...get(server.url), method: 'POST', headers, body: pieces('ab', 'cd') });
    expect(await (await post({})).text(100)).toBe('abcd chunked undefined');
    expect(await (await post({ 'content-length': '4' })).text(100)).toBe('abcd undefined 4');
    expect((await failureOf(post({ 'content-length': '3' }))).class).toBe('bad_request');
    expect((await failureOf(post({ 'content-length': '5' }))).class).toBe('bad_request');
  });

  test('fails with its own error when it fails', async () => {
    const server = await serve((request) => void request.resume());
    async function* failing() {
      yield Buffer.from('a');
      throw new CallError('not_found', 'The file is gone.');
    }
    const request = { ...get(server.url), method: 'POST' as const, body: failing() };
    expect((await failureOf(httpFor().send(request))).message).toBe('The file is gone.');
    await server.untilQuiet();
  });

  test('may be refused before all of it is sent', async () => {
    const server = await serve((_, response) => response.writeHead(413).end('too large'));
    async function* endless() {
      for (;;) {
        yield Buffer.alloc(65_536);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const http = httpFor();
    const response = await http.send({ ...get(server.url), method: 'POST', body: endless() });
    expect([response.status, await response.text(100)]).toEqual([413, 'too large']);
  });

  test('is let go when the caller leaves', async () => {
    const server = await serveRaw((socket) => void socket.resume());
    const stop = new AbortController();
    let ended = false;
    async function* endless() {
      try {
        for (;;) {
          yield Buffer.alloc(65_536);
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        ended = true;
      }
    }
    const { signal } = stop;
    const sending = httpFor().send({
      ...get(server.url, { signal }),
      method: 'POST',
      body: endless(),
    });
    const [socket] = (await once(server.server, 'connection')) as [Socket];
    await once(socket, 'data');
    stop.abort(new CallError('cancelled', 'left'));
    expect((await failureOf(sending)).message).toBe('left');
    await server.untilQuiet();
    await expect.poll(() => ended).toBe(true);
  });
});

test('a connection that broke while idle is replaced', async () => {
  const server = await serve((_, response) => response.end('x'));
  const http = httpFor();
  await (await http.send(get(server.url))).text(10);
  const other = await serve((_, response) => response.end('y'));
  server.sockets[0]?.destroy();
  await server.untilQuiet();
  // Until this has come back, so has the news of the other.
  await (await http.send(get(other.url))).text(10);
  expect(await (await http.send(get(server.url))).text(10)).toBe('x');
  expect(server.sockets).toHaveLength(2);
});

test('destinations that are no longer used are dropped', async () => {
  const server = await serve((_, response) => response.end('x'));
  const http = httpFor({ resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) });
  for (let number = 0; number < 80; number += 1) {
    await (await http.send(get(`http://host${number}.test:${server.port}/`))).text(10);
  }
  await expect
    .poll(() => server.sockets.filter((socket) => !socket.closed).length)
    .toBeLessThanOrEqual(64);
});

test('undici is loaded with the first request, not before', async () => {
  const source = await import('node:fs/promises').then((fs) =>
    Promise.all(
      [
        'create-http.ts',
        'http-client.ts',

        'connection-pool.ts',
        'response-handler.ts',
      ].map((file) => fs.readFile(new URL(file, import.meta.url), 'utf8')),
    ),
  );
  for (const text of source) expect(text).not.toMatch(/^import (?!type )[^;]*'undici'/m);
});

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { makeCertificates } from './certificates.fixture.ts';
import { fetchPublic, type FetchOptions } from './fetch-public.ts';
import { failureOf, httpFor, listen, NO_NETWORK, serve, type Place } from './net.fixture.ts';

const options = (more: Partial<FetchOptions> = {}): FetchOptions => ({
  signal: new AbortController().signal,
  maxBytes: 10_000,
  ...more,
});

function publicHttp(allowed: readonly Pick<Place<unknown>, 'port'>[], extraCa = '') {
  const allowPrivate = allowed.map(({ port }) => `127.0.0.1:${port}`);
  return httpFor({ guard: 'public', network: { ...NO_NETWORK, allowPrivate, extraCa } });
}

function redirectTo(location: string, status = 302): RequestListener {
  return (_, response) => response.writeHead(status, { location }).end('moved');
}

test('a page is fetched with its status and headers, whatever the status', async () => {
  const server = await serve((request, response) => {
    response.writeHead(404, { 'x-accept': request.headers.accept ?? '' }).end('no page');
  });
  const page = await fetchPublic(
    publicHttp([server]),
    `${server.url}/a#b`,
    options({ accept: 'text/html' }),
  );
  expect(page).toMatchObject({ url: `${server.url}/a#b`, status: 404 });
  expect(page.headers['x-accept']).toBe('text/html');
  expect(Buffer.from(page.bytes).toString()).toBe('no page');
});

test.each([301, 302, 303, 307, 308])('a redirect of status %i is followed', async (status) => {
  const server = await serve((request, response) => {
    if (request.url === '/end') return response.end('here');
    return redirectTo('/end', status)(request, response);
  });
  const page = await fetchPublic(publicHttp([server]), `${server.url}/start`, options());
  expect([page.url, Buffer.from(page.bytes).toString()]).toEqual([`${server.url}/end`, 'here']);
});

test('a redirect to nowhere is an answer', async () => {
  const server = await serve((_, response) => response.writeHead(304).end());
  expect(await fetchPublic(publicHttp([server]), server.url, options())).toMatchObject({
    status: 304,
  });
});

verifies('net:ssrf', 'a redirect is judged like the first address', async () => {
  const secret = await serve((_, response) => response.end('secret'));
  const hostile = [
    `http://127.0.0.1:${secret.port}/`,
    `http://localhost:${secret.port}/`,
    `//127.0.0.1:${secret.port}/`,
    `http://0x7f.1:${secret.port}/`,
    `http://2130706433:${secret.port}/`,
    `http://[::ffff:127.0.0.1]:${secret.port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://metadata.google.internal/',
    'http://10.0.0.1/',
    'http://user:pass@example.com/',
    'http://example.com:22/',
  ];
  for (const location of hostile) {
    const first = await serve(redirectTo(location));
    const error = await failureOf(fetchPublic(publicHttp([first]), first.url, options()));
    expect([location, error.class]).toEqual([location, 'permission']);
    expect(error.message).toContain('Redirect 1 cannot be followed.');
  }
  for (const location of ['file:///etc/passwd', 'javascript:alert(1)', 'gopher://127.0.0.1/']) {
    const first = await serve(redirectTo(location));
    const error = await failureOf(fetchPublic(publicHttp([first]), first.url, options()));
    expect([location, error.class]).toEqual([location, 'validation']);
  }
  expect(secret.sockets).toEqual([]);
});

verifies('net:ssrf', 'the third hop is judged like the first', async () => {
  const secret = await serve((_, response) => response.end('secret'));
  const second = await serve(redirectTo(secret.url));
  const first = await serve(redirectTo(second.url));
  const error = await failureOf(fetchPublic(publicHttp([first, second]), first.url, options()));
  expect(error.class).toBe('permission');
  expect(error.message).toBe(
    `Redirect 2 cannot be followed. 127.0.0.1:${secret.port} is a loopback address.`,
  );
  expect(secret.sockets).toEqual([]);
});

test('the first address is judged', async () => {
  const server = await serve((_, response) => response.end());
  expect((await failureOf(fetchPublic(publicHttp([]), server.url, options()))).class).toBe(
    'permission',
  );
  expect((await failureOf(fetchPublic(publicHttp([]), 'nonsense', options()))).class).toBe(
    'validation',
  );
});

test('redirects in a circle end', async () => {
  const server = await serve((request, response) =>
    redirectTo(request.url === '/a' ? '/b' : '/a')(request, response),
  );
  const error = await failureOf(fetchPublic(publicHttp([server]), `${server.url}/a`, options()));
  expect([error.class, error.message]).toEqual([
    'bad_response',
    `127.0.0.1:${server.port} redirects in a circle, to 127.0.0.1:${server.port}.`,
  ]);
});

test('redirects without end are given up after five', async () => {
  let asked = 0;
  const server = await serve((request, response) =>
    redirectTo(`/${(asked += 1)}`)(request, response),
  );
  const error = await failureOf(fetchPublic(publicHttp([server]), server.url, options()));
  expect([error.class, asked]).toEqual(['bad_response', 6]);
  expect(error.message).toContain('once more after 5 redirects');
});

test('a redirect to nonsense is refused', async () => {
  const server = await serve(redirectTo('http://[nonsense/'));
  const error = await failureOf(fetchPublic(publicHttp([server]), server.url, options()));
  expect(error.message).toBe(`Redirect 1, by 127.0.0.1:${server.port}, leads to no address.`);
});

test('keys are sent to the first origin alone', async () => {
  const seen: unknown[] = [];
  const second = await serve((request, response) => {
    seen.push(request.headers);
    response.end('x');
  });
  const first = await serve((request, response) => {
    seen.push(request.headers);
    if (request.url === '/') return redirectTo('/same')(request, response);
    return redirectTo(second.url)(request, response);
  });
  const headers = {
    authorization: 'Bearer k',
    cookie: 'a=b',
    'x-api-key': 'k',
    'user-agent': 'exai',
  };
  await fetchPublic(publicHttp([first, second]), first.url, options({ headers }));
  expect(seen).toMatchObject([headers, headers, { 'user-agent': 'exai' }]);
  expect(Object.keys(seen[2] as object)).toEqual([
    'host',
    'connection',
    'accept-encoding',
    'accept',
    'user-agent',
  ]);
});

test('a redirect from https to http inside a private network is refused', async () => {
  const made = makeCertificates();
  const plain = await serve((_, response) => response.end('x'));
  const secure = await listen(createServer(made, redirectTo(plain.url)));
  const http = publicHttp([plain, secure], made.ca);
  const error = await failureOf(fetchPublic(http, `https://127.0.0.1:${secure.port}/`, options()));
  expect([error.class, plain.sockets.length]).toEqual(['permission', 0]);
  expect(error.message).toContain('Redirect 1, by 127.0.0.1');
});

describe('size', () => {
  test('more than the limit is refused', async () => {
    const server = await serve((_, response) => response.end(Buffer.alloc(10_001)));
    expect((await failureOf(fetchPublic(publicHttp([server]), server.url, options()))).class).toBe(
      'too_large',
    );
    const page = await fetchPublic(publicHttp([server]), server.url, options({ maxBytes: 10_001 }));
    expect(page.bytes).toHaveLength(10_001);
  });

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['GZIP', gzipSync],
  ])('%s is undone though it was not asked for, up to the limit', async (encoding, compress) => {
    const server = await serve((_, response) => {
      response
        .writeHead(200, { 'content-encoding': encoding })
        .end(compress(Buffer.alloc(9000, 65)));
    });
    const page = await fetchPublic(publicHttp([server]), server.url, options());
    expect(Buffer.from(page.bytes).toString()).toBe('A'.repeat(9000));
    const small = options({ maxBytes: 8999 });
    expect((await failureOf(fetchPublic(publicHttp([server]), server.url, small))).class).toBe(
      'too_large',
    );
  });

  test.each(['zstd', 'gzip, gzip', 'constructor'])('%s is refused', async (encoding) => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end('xxxx');
    });
    const error = await failureOf(fetchPublic(publicHttp([server]), server.url, options()));
    expect(error.class).toBe('bad_response');
  });

  test('damaged gzip is a bad answer', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip');
    });
    const error = await failureOf(fetchPublic(publicHttp([server]), server.url, options()));
    expect(error.class).toBe('bad_response');
  });
});

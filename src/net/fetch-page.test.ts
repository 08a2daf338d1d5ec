import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import type { CachedPage, PageStore } from '#core/stores/pages.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { verifies } from '../../test/verifies.ts';
import { fetchPage } from './fetch-page.ts';
import { failureOf, httpFor, NO_NETWORK, serve } from './net.fixture.ts';

const QUARTER_MS = 15 * 60_000;

function memoryPages(): PageStore {
  const kept = new Map<string, CachedPage>();
  return {
    get: async (url) => kept.get(url),
    save: async (page) => void kept.set(page.url, page),
    confirm: async (url, checkedAt) => {
      const page = kept.get(url);
      if (page) kept.set(url, { ...page, checkedAt });
    },
  };
}

async function setUp(listener: RequestListener) {
  const seen: { etag: string | undefined; agent: string | undefined }[] = [];
  const server = await serve((request, response) => {
    seen.push({ etag: request.headers['if-none-match'], agent: request.headers['user-agent'] });
    listener(request, response);
  });
  const network = { ...NO_NETWORK, allowPrivate: [`127.0.0.1:${server.port}`] };
  const http = httpFor({ guard: 'public', network });
  const clock = createFakeClock();
  const pages = memoryPages();
  const { signal } = new AbortController();
  const read = (path = '/a') =>
    fetchPage(`${server.url}${path}`, { http, pages, clock, signal, maxBytes: 10_000 });
  return { seen, clock, read };
}

verifies('extract:page-cache', 'a page is requested once in 15 minutes', async () => {
  const { seen, clock, read } = await setUp((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', etag: '"1"' }).end('<p>one</p>');
  });
  expect((await read()).source).toBe('network');
  clock.advance(QUARTER_MS - 1);
  const again = await read('/a#part');
  expect([again.source, Buffer.from(again.bytes).toString()]).toEqual(['cache', '<p>one</p>']);
  expect(again.contentType).toBe('text/html');
  expect(seen).toHaveLength(1);
  expect(seen[0]?.agent).toMatch(/^exai\//);
});

verifies('extract:page-cache', 'an older page is transferred only if it changed', async () => {
  const { seen, clock, read } = await setUp((request, response) => {
    if (request.headers['if-none-match'] === '"1"') return response.writeHead(304).end();
    return response.writeHead(200, { etag: '"1"' }).end('one');
  });
  await read();
  clock.advance(QUARTER_MS);
  const confirmed = await read();
  expect([confirmed.source, Buffer.from(confirmed.bytes).toString()]).toEqual(['confirmed', 'one']);
  expect((await read()).source).toBe('cache');
  expect(seen.map(({ etag }) => etag)).toEqual([undefined, '"1"']);
});

verifies(
  'extract:page-cache',
  'a page whose validators have odd bytes can be read again',
  async () => {
    const odd = Buffer.from([0x22, 0xff, 0xfe, 0x22]).toString('latin1');
    const { seen, clock, read } = await setUp((_, response) => {
      response.writeHead(200, { etag: odd, 'last-modified': `now ${odd}` }).end('one');
    });
    await read();
    clock.advance(QUARTER_MS);
    expect((await read()).source).toBe('network');
    expect(seen).toHaveLength(2);
  },
);

verifies('extract:page-cache', 'two spellings of one address are one page', async () => {
  const { seen, read } = await setUp((_, response) => response.writeHead(200).end('one'));
  await read('/a/../b\0c');
  expect((await read('/b%00c#part')).source).toBe('cache');
  expect(seen).toHaveLength(1);
});

test('a page that must not be stored is requested each time', async () => {
  const { seen, read } = await setUp((_, response) => {
    response.writeHead(200, { 'cache-control': 'no-store' }).end('one');
  });
  await read();
  expect((await read()).source).toBe('network');
  expect(seen).toHaveLength(2);
});

test('a clock that was set back makes no page fresh for ever', async () => {
  const { clock, read } = await setUp((_, response) => response.writeHead(200).end('one'));
  await read();
  clock.jump(-QUARTER_MS);
  expect((await read()).source).toBe('network');
});

test.each([
  [404, 'not_found'],
  [403, 'permission'],
  [429, 'rate_limit'],
  [500, 'bad_response'],
])('status %i is %s', async (status, expected) => {
  const { read } = await setUp((_, response) => response.writeHead(status).end('no'));
  expect(await failureOf(read())).toMatchObject({ class: expected });
});

import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { PeerUser } from '#core/auth/authenticator.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import type { Answer } from '../../../test/http-get.ts';
import { verifies } from '../../../test/verifies.ts';
import { listen } from '../http/listener.fixture.ts';
import { pageEndpoints, type PageOptions } from './page-endpoints.ts';
import type { PageData } from './page-data.ts';

const DATA: PageData = {
  version: '0.2.0',
  uptimeS: 1,
  readAt: 'now',
  url: 'http://127.0.0.1:1',
  gateway: 'on',
  providers: [],
  today: undefined,
  calls: [],
  notices: [],
};
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function setUp(more: { peer?: PeerUser; read?: PageOptions['read'] } = {}) {
  const clock = createFakeClock();
  const ended: string[] = [];
  const endpoints = pageEndpoints({
    sessions: {
      redeem(code) {
        if (code === 'right') return { is: 'session', token: 'the-token' };
        return code === 'many' ? { is: 'limited', retryAfterMs: 2500 } : { is: 'refused' };
      },
      isValid: (token) => token === 'the-token',
      end: (token) => void ended.push(token),
    },
    read: more.read ?? (async () => DATA),
    peerUser: async () => more.peer ?? 'same',
    clock,
  });
  const { listener } = await listen([], { endpoints, origins: ['https://allowed.example'] });
  const { url, port } = listener.bound;
  const own = { origin: url };
  const cookie = { cookie: `exai-page-${port}=the-token` };
  const send = (method: string, path: string, headers: Record<string, string> = {}, body = '') =>
    sendTo(`${url}${path}`, method, headers, body);
  const isOwners = ({ body }: Answer) => body.includes('Connect a client');
  return { url, port, own, cookie, send, ended, isOwners };
}

function sendTo(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    onTestFinished(() => void call.destroy());
    call.on('error', reject);
    call.end(body);
  });
}

verifies('page:strangers', 'only the right cookie shows the page', async () => {
  const { port, send, cookie, isOwners } = await setUp();
  const stranger = await send('GET', '/');
  expect([stranger.status, isOwners(stranger)]).toEqual([200, false]);
  const others = [
    `exai-page-${port}=wrong`,
    `exai-page-${port}=`,
    `exai-page-${port}`,
    `exai-page-${port}=the-token; exai-page-${port}=the-token`,
    `exai-page-1=the-token`,
    `__Host-exai-page-${port}=the-token`,
    `EXAI-PAGE-${port}=the-token`,
    `exai-page-${port}="the-token"`,
    ';;;==;',
  ];
  for (const each of others) {
    const answer = await send('GET', '/', { cookie: each });
    expect([each, answer.body]).toEqual([each, stranger.body]);
  }
  expect(isOwners(await send('GET', '/', cookie))).toBe(true);
  const among = { cookie: `a=b; ${cookie.cookie}; c=d` };
  expect(isOwners(await send('GET', '/', among))).toBe(true);
});

verifies('page:strangers', 'a program of another user cannot use a stolen cookie', async () => {
  const { send, cookie, isOwners } = await setUp({ peer: 'other' });
  expect(isOwners(await send('GET', '/', cookie))).toBe(false);
  const unknown = await setUp({ peer: 'unsupported' });
  expect(isOwners(await unknown.send('GET', '/', unknown.cookie))).toBe(true);
});

test('every page forbids scripts, frames, other forms and copies of itself', async () => {
  const { send, cookie } = await setUp();
  for (const path of ['/', '/login']) {
    const { headers, body } = await send('GET', path, cookie);
    const style = /<style>([^]*)<\/style>/.exec(body)?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'content-type': 'text/html; charset=utf-8',
    });
    expect(headers['set-cookie']).toBe(undefined);
  }
});

test('HEAD has the headers of GET, and other methods are refused with those that work', async () => {
  const { send, cookie } = await setUp();
  const [head, full] = [await send('HEAD', '/', cookie), await send('GET', '/', cookie)];
  expect([head.status, head.body]).toEqual([200, '']);
  expect(head.headers['content-length']).toBe(full.headers['content-length']);
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const answer = await send(method, '/', cookie);
    expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD']);
    expect(JSON.parse(answer.body)).toMatchObject({
      error: { fix: expect.stringContaining('/mcp') },
    });
  }
  expect((await send('PUT', '/login')).headers.allow).toBe('GET, HEAD, POST');
  expect((await send('GET', '/logout', cookie)).headers.allow).toBe('POST');
});

test('a program that takes no HTML is told where MCP and the gateway are', async () => {
  const { send } = await setUp();
  const { status, body } = await send('GET', '/', { accept: 'text/event-stream' });
  expect([status, body]).toEqual([406, expect.stringContaining('MCP is at /mcp')]);
  expect((await send('GET', '/', { accept: '*/*' })).status).toBe(200);
});

verifies(
  'page:login',
  'a posted code becomes a strict cookie, from a file or our own form',
  async () => {
    const { port, send, own } = await setUp();
    for (const origin of [own.origin, 'null', 'file://']) {
      const answer = await send('POST', '/login', { ...FORM, origin }, 'code=right');
      expect([origin, answer.status]).toEqual([origin, 200]);
      expect(answer.headers['set-cookie']).toEqual([
        `exai-page-${port}=the-token; Path=/; HttpOnly; SameSite=Strict`,
      ]);
      expect(answer.body).toContain('content="0; url=/"');
      expect(answer.headers['access-control-allow-origin']).toBe(undefined);
    }
  },
);

verifies('page:login', 'what is no right code in a form of a page is refused', async () => {
  const { send, own } = await setUp();
  const refused: [string, number, Record<string, string>, string][] = [
    ['a wrong code', 403, { ...FORM, ...own }, 'code=wrong'],
    ['no code', 403, { ...FORM, ...own }, ''],
    ['the code in another field', 403, { ...FORM, ...own }, 'kode=right'],
    ['too many codes', 429, { ...FORM, ...own }, 'code=many'],
    ['JSON', 400, { 'content-type': 'application/json', ...own }, '{"code":"right"}'],
    ['plain text', 400, { 'content-type': 'text/plain', ...own }, 'code=right'],
    ['a large body', 413, { ...FORM, ...own }, `code=right&x=${'x'.repeat(2000)}`],
    ['a compressed body', 400, { ...FORM, ...own, 'content-encoding': 'gzip' }, 'code=right'],
    ['a foreign page', 403, { ...FORM, origin: 'https://evil.example' }, 'code=right'],
    ['an allowed origin', 403, { ...FORM, origin: 'https://allowed.example' }, 'code=right'],
    ['a frame', 403, { ...FORM, origin: 'null', 'sec-fetch-dest': 'iframe' }, 'code=right'],
    ['a script', 403, { ...FORM, origin: 'null', 'sec-fetch-dest': 'empty' }, 'code=right'],
    ['another Host', 403, { ...FORM, host: 'evil.example', origin: 'null' }, 'code=right'],
  ];
  for (const [name, status, headers, body] of refused) {
    const answer = await send('POST', '/login', headers, body);
    expect([name, answer.status, answer.headers['set-cookie']]).toEqual([name, status, undefined]);
  }
  const limited = await send('POST', '/login', { ...FORM, ...own }, 'code=many');
  expect(limited.headers['retry-after']).toBe('3');
});

verifies(
  'page:strangers',
  'the page is not for other pages, allowed origins included',
  async () => {
    const { send, cookie, isOwners } = await setUp();
    const sources = [
      { origin: 'https://evil.example' },
      { origin: 'https://allowed.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:9' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { host: 'evil.example' },
    ];
    for (const source of sources) {
      const answer = await send('GET', '/', { ...cookie, ...source });
      expect([source, answer.status, isOwners(answer)]).toEqual([source, 403, false]);
      expect(answer.headers['access-control-allow-origin']).toBe(undefined);
    }
  },
);

verifies('page:login', 'our own page alone can log out', async () => {
  const { port, send, own, cookie, ended } = await setUp();
  const sources = [
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-site' },
  ];
  for (const source of sources) {
    const { status } = await send('POST', '/logout', { ...cookie, ...source });
    expect([source, status, ended]).toEqual([source, 403, []]);
  }
  const answer = await send('POST', '/logout', { ...cookie, ...own });
  expect([answer.status, answer.headers.location, ended]).toEqual([303, '/', ['the-token']]);
  expect(answer.headers['set-cookie']).toEqual([
    `exai-page-${port}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`,
  ]);
});

test('a page that cannot be read is an error without its details', async () => {
  const read = () => Promise.reject(new Error('secret detail'));
  const { send, cookie } = await setUp({ read });
  const { status, body } = await send('GET', '/', cookie);
  expect(status).toBe(500);
  expect(body).not.toContain('secret detail');
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isUrl } from '#core/net/is-url.ts';
import type { Address } from '#net/connect/open-socket.ts';
import { fetchPublic } from '#net/fetch-public.ts';
import { failureOf, get, httpFor, NO_NETWORK, serve } from '#net/net.fixture.ts';
import { png } from '../cases/provider-png.ts';
import { CHAT, openai, post } from '../e2e/gateway-post.ts';
import { verifies } from '../verifies.ts';
import { HOSTILE_ADDRESSES } from './ssrf/addresses.ts';
import { HOSTILE_URLS } from './ssrf/urls.ts';
import { openAttackHarness, OWNER_TOKEN, type AttackHarness } from './attack-harness.ts';

const LEAST_TRIES = 1_173;
const PUBLIC: Address = { address: '93.184.216.34', family: 4 };
const REFUSED: readonly string[] = ['permission', 'validation'];
/** Each costs a call of the daemon. */
const THROUGH_DAEMON = HOSTILE_URLS.filter((_, index) => index % 8 === 0);

let tries = 0;

const at = (address: string): Address => ({ address, family: address.includes(':') ? 6 : 4 });

/** Of this list: what leads to another place than where it was found. */
function asRedirects(base: string): readonly string[] {
  const { host } = new URL(base);
  return HOSTILE_URLS.filter((url) => {
    if (!/^[a-z][a-z0-9+.-]*:[!-~]+$/i.test(url)) return false;
    return !isUrl(url, base) || new URL(url, base).host !== host;
  });
}

verifies('net:ssrf', 'no hostile address is looked up or connected to', async () => {
  const looked: string[] = [];
  const http = httpFor({
    guard: 'public',
    resolve(host) {
      looked.push(host);
      return Promise.resolve([PUBLIC]);
    },
  });
  const served: unknown[] = [];
  for (const url of HOSTILE_URLS) {
    tries += 1;
    const error = await failureOf(http.send(get(url)));
    if (!REFUSED.includes(error.class)) served.push([url, error.class, error.message]);
  }
  expect(served).toEqual([]);
  expect(looked).toEqual([]);
});

verifies('net:ssrf', 'no redirect leads to a hostile address', async () => {
  const locations: string[] = [];
  const first = await serve((request, response) => {
    const location = locations[Number(request.url?.slice(1))] ?? '';
    response.writeHead(302, { location }).end();
  });
  const looked: string[] = [];
  const http = httpFor({
    guard: 'public',
    network: { ...NO_NETWORK, allowPrivate: [`127.0.0.1:${first.port}`] },
    resolve(host) {
      looked.push(host);
      return Promise.resolve([at('127.0.0.1')]);
    },
  });
  locations.push(...asRedirects(first.url));
  const followed: unknown[] = [];
  for (const [index, location] of locations.entries()) {
    tries += 1;
    const options = { signal: new AbortController().signal, maxBytes: 1000 };
    const error = await failureOf(fetchPublic(http, `${first.url}/${index}`, options));
    const isRefused = REFUSED.includes(error.class) || error.message.includes('no address');
    if (!isRefused) followed.push([location, error.class, error.message]);
  }
  expect(followed).toEqual([]);
  expect(looked).toEqual([]);
});

verifies('net:ssrf', 'a name is refused for any one address that it leads to', async () => {
  for (const [address] of HOSTILE_ADDRESSES) {
    const answers = [[at(address)], [PUBLIC, at(address)], [at(address), PUBLIC]];
    for (const answer of answers) {
      tries += 1;
      const http = httpFor({ guard: 'public', resolve: () => Promise.resolve(answer) });
      const error = await failureOf(http.send(get('https://name.rebinding.org/')));
      expect([answer, error.class]).toEqual([answer, 'permission']);
      // What the names of an intranet stand for is not told.
      if (address !== '') expect(error.message).not.toContain(address);
    }
  }
});

verifies('net:ssrf', 'a name that was public a moment ago is judged again', async () => {
  for (const [address] of HOSTILE_ADDRESSES) {
    tries += 1;
    const stop = new AbortController();
    let lookups = 0;
    const http = httpFor({
      guard: 'public',
      resolve() {
        lookups += 1;
        if (lookups > 1) return Promise.resolve([at(address)]);
        // Nothing public is connected to in a test.
        stop.abort(new Error('stopped'));
        return Promise.resolve([PUBLIC]);
      },
    });
    const url = 'http://rebind.example.com/';
    await expect(http.send(get(url, { signal: stop.signal }))).rejects.toThrow('stopped');
    expect((await failureOf(http.send(get(url)))).class).toBe('permission');
    expect(lookups).toBe(2);
  }
});

let harness: AttackHarness;
let secret: { readonly port: number; readonly asked: string[]; close(): void };
/** Allowed by the settings, and sends whoever asks on to what is not. */
let redirector: { readonly port: number; close(): void };

beforeAll(async () => {
  const asked: string[] = [];
  const inner = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('secret');
  });
  const outer = createServer((request, response) => {
    if (request.url === '/own.png') return response.end(png(8, 8));
    const to = decodeURIComponent(request.url?.slice(1) ?? '');
    return response.writeHead(302, { location: to }).end();
  });
  const ports = await Promise.all(
    [inner, outer].map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
        }),
    ),
  );
  secret = { port: ports[0] ?? 0, asked, close: () => inner.close() };
  redirector = { port: ports[1] ?? 0, close: () => outer.close() };
  harness = await openAttackHarness({
    config: { network: { allowPrivate: [`127.0.0.1:${redirector.port}`] } },
  });
});
afterAll(async () => {
  secret?.close();
  redirector?.close();
  await harness?.close();
});

function showPicture(url: string) {
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url } },
  ];
  const body = openai({ model: 'kimi-k2.6', messages: [{ role: 'user', content }] });
  const headers = { authorization: `Bearer ${OWNER_TOKEN}`, 'x-exai-fallback': 'none' };
  return post(harness.url + CHAT, { body, headers });
}

verifies('net:ssrf', 'the daemon fetches no picture from a hostile address', async () => {
  const hidden = `http://127.0.0.1:${secret.port}/picture.png`;
  const through = [
    hidden,
    hidden.replace('127.0.0.1', 'localhost'),
    hidden.replace('127.', '127.0.'),
  ];
  const targets = [...through, ...asRedirects(hidden).slice(0, 20)];
  const redirectTo = (to: string) =>
    `http://127.0.0.1:${redirector.port}/${encodeURIComponent(to)}`;
  const redirects = targets.map(redirectTo);
  // A redirect to what is no address is a fault of the server that sends it, not of the request.
  const broken = new Set(targets.filter((to) => !URL.canParse(to)).map(redirectTo));
  const taken: unknown[] = [];
  for (const url of [hidden, ...THROUGH_DAEMON, ...redirects]) {
    tries += 1;
    const { status, text } = await showPicture(url);
    const isRefused = broken.has(url) ? status === 502 : status >= 400 && status < 500;
    if (!isRefused || text.includes('secret')) taken.push([url, status, text]);
  }
  expect(taken).toEqual([]);
  expect(secret.asked).toEqual([]);
  expect(harness.emulator.requests()).toEqual([]);
});

test('all of them were tried, and a picture from an allowed place is still shown', async () => {
  const { status } = await showPicture(`http://127.0.0.1:${redirector.port}/own.png`);
  expect(status).toBe(200);
  expect(harness.emulator.requests()).toHaveLength(1);
  console.log(`SSRF: ${tries} tries`);
  expect(tries).toBeGreaterThanOrEqual(LEAST_TRIES);
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { openAttackHarness, OWNER_TOKEN, type AttackHarness } from './attack-harness.ts';
import { foreignHosts } from './browser/hosts.ts';
import { foreignOrigins } from './browser/origins.ts';
import { ASK_MODEL, CALL_TOOL, OPEN_SESSION, OPEN_SSE, type RequestParts } from './browser/row.ts';
import { sendRaw, type RawAnswer } from './send-raw.ts';

const LEAST_TRIES = 190;
/** A heading that only the owner's page has. */
const PRIVATE = 'Connect a client';
const FORM = 'application/x-www-form-urlencoded';

let harness: AttackHarness;
let cookie: string;
let tries = 0;

beforeAll(async () => {
  harness = await openAttackHarness({ env: { EXAI_AUTH_REQUIRE_TOKEN: 'true' } });
  cookie = cookieOf(await logIn(await newCode()));
});
afterAll(() => harness?.close());

async function newCode(): Promise<string> {
  const { stdout } = await harness.exai('open', '--print', '--json');
  return (JSON.parse(stdout) as { code: string }).code;
}

interface Sent extends RequestParts {
  readonly host?: string;
}

/** A request as a browser sends it: with the cookie where one is given, never with a token. */
async function send(parts: Sent): Promise<RawAnswer> {
  tries += 1;
  const { method = 'GET', path = '/', lines = [], body, contentType = 'application/json' } = parts;
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${parts.host ?? harness.host}`,
    'Connection: close',
    ...lines,
    ...(body === undefined
      ? []
      : [`Content-Type: ${contentType}`, `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  const bytes = `${head.join('\r\n')}\r\n\r\n${body ?? ''}`;
  const [answer] = await sendRaw(harness.port, { bytes, methods: [method] });
  if (!answer) throw new Error(`no answer to ${method} ${path}`);
  return answer;
}

function logIn(code: string, more: Sent = {}): Promise<RawAnswer> {
  const body = `code=${encodeURIComponent(code)}`;
  return send({ method: 'POST', path: '/login', contentType: FORM, body, ...more });
}

function cookieOf({ headers }: RawAnswer): string {
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const withCookie = (...lines: string[]) => [`Cookie: ${cookie}`, ...lines];

async function isLoggedIn(): Promise<boolean> {
  return (await send({ lines: withCookie() })).body.includes(PRIVATE);
}

test('what the rows try to do is done when it is asked for properly', async () => {
  expect(cookie).toMatch(/^exai-page-\d+=[\w-]{43}$/);
  expect(await isLoggedIn()).toBe(true);
});

describe('an attack on the page', () => {
  verifies('page:strangers', 'gets nothing by a Host or an Origin that is not ours', async () => {
    const port = String(harness.port);
    const sources: Sent[] = [
      ...foreignHosts(port).map((host) => ({ host })),
      ...foreignHosts(port).map((host) => ({ host, lines: [`Origin: http://${host}`] })),
      ...foreignOrigins(harness.host).map((origin) => ({ lines: [`Origin: ${origin}`] })),
      ...['cross-site', 'same-site'].map((site) => ({ lines: [`Sec-Fetch-Site: ${site}`] })),
    ];
    const served: string[] = [];
    for (const source of sources) {
      const lines = withCookie(...(source.lines ?? []));
      const page = await send({ ...source, lines });
      const out = await send({ ...source, lines, method: 'POST', path: '/logout', body: '' });
      const isRefused = ({ status }: RawAnswer) => status === 400 || status === 403;
      if (!isRefused(page) || page.body.includes(PRIVATE)) served.push(JSON.stringify(source));
      if (!isRefused(out)) served.push(`log-out ${JSON.stringify(source)}: ${out.status}`);
    }
    expect(served).toEqual([]);
    expect(await isLoggedIn()).toBe(true);
  });

  verifies('page:strangers', 'cannot use the cookie for anything but the page', async () => {
    const aims: RequestParts[] = [
      CALL_TOOL,
      OPEN_SESSION,
      ASK_MODEL,
      OPEN_SSE,
      { path: '/metrics' },
      { path: '/v1/models' },
    ];
    const before = await harness.effects();
    const token = cookie.split('=')[1] ?? '';
    for (const parts of aims) {
      for (const lines of [withCookie(), [`Authorization: Bearer ${token}`]]) {
        const { status } = await send({ ...parts, lines: [...(parts.lines ?? []), ...lines] });
        expect([parts.path, status]).toEqual([parts.path, 401]);
      }
    }
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`;
    const bytes = ['GET /ws HTTP/1.1', `Host: ${harness.host}`, 'Connection: Upgrade', ...upgrade];
    const [opened] = await sendRaw(harness.port, {
      bytes: `${[...bytes, key, ...withCookie('Origin: http://evil.example')].join('\r\n')}\r\n\r\n`,
      ending: 'half_close',
    });
    expect(opened?.status).toBe(403);
    const health = await send({ path: '/healthz', lines: withCookie() });
    expect(health.body).not.toContain('"pid"');
    expect(await harness.effects()).toEqual(before);
  });

  verifies('page:strangers', 'cannot use a token for the page', async () => {
    for (const path of ['/', `/?token=${OWNER_TOKEN}`]) {
      const answer = await send({ path, lines: [`Authorization: Bearer ${OWNER_TOKEN}`] });
      expect([answer.status, answer.body.includes(PRIVATE)]).toEqual([200, false]);
    }
  });

  verifies('page:login', 'cannot use a code twice, in a URL or in another form', async () => {
    const used = await newCode();
    expect((await logIn(used)).status).toBe(200);
    const fresh = await newCode();
    const rows: [string, Sent][] = [
      ['used', { body: `code=${used}` }],
      ['in the query', { path: `/login?code=${fresh}`, body: '' }],
      ['by GET', { method: 'GET', path: `/login?code=${fresh}` }],
      ['at the page', { method: 'GET', path: `/?code=${fresh}` }],
      ['as JSON', { contentType: 'application/json', body: JSON.stringify({ code: fresh }) }],
      ['as text', { contentType: 'text/plain', body: `code=${fresh}` }],
      ['as bearer', { body: '', lines: [`Authorization: Bearer ${fresh}`] }],
      ['of a page', { body: `code=${fresh}`, lines: ['Origin: https://evil.example'] }],
      ['of another port', { body: `code=${fresh}`, lines: ['Origin: http://127.0.0.1:3000'] }],
      ['rebound', { body: `code=${fresh}`, host: 'evil.example', lines: ['Origin: null'] }],
      ['in a frame', { body: `code=${fresh}`, lines: ['Origin: null', 'Sec-Fetch-Dest: iframe'] }],
      ['with a NUL', { body: `code=${fresh}%00` }],
      ['twice', { body: `code=x&code=${fresh}` }],
      ['too long', { body: `code=${fresh}&x=${'x'.repeat(5000)}` }],
    ];
    for (const [name, parts] of rows) {
      const common = { method: 'POST', path: '/login', contentType: FORM };
      const answer = await send({ ...common, ...parts });
      expect([name, answer.headers.get('set-cookie')]).toEqual([name, undefined]);
      expect([name, answer.body.includes(PRIVATE)]).toEqual([name, false]);
    }
    // None of them has used it up.
    expect((await logIn(fresh, { lines: ['Origin: null'] })).status).toBe(200);
  });

  verifies('page:login', 'is slowed down when it guesses, and the owner is not', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 30; n += 1) statuses.push((await logIn(`GUESS-${n}`)).status);
    expect(statuses[0]).toBe(403);
    expect(statuses.at(-1)).toBe(429);
    expect((await logIn(await newCode())).status).toBe(200);
  });

  test('leaves no code and no session in the log', async () => {
    const code = await newCode();
    cookie = cookieOf(await logIn(code));
    expect(await isLoggedIn()).toBe(true);
    const folder = join(harness.home, 'logs');
    const read = () =>
      readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), 'utf8'))
        .join('');
    await expect.poll(() => read().includes('page_login')).toBe(true);
    expect(read().includes(code)).toBe(false);
    expect(read().includes(cookie.split('=')[1] ?? '')).toBe(false);
  });
});

test('all of them were tried, and no login file is left', async () => {
  const left = join(harness.home, 'cache', 'open');
  await harness.exai('open', '--logout');
  expect(existsSync(left) ? readdirSync(left) : []).toEqual([]);
  expect(await isLoggedIn()).toBe(false);
  expect(tries).toBeGreaterThanOrEqual(LEAST_TRIES);
});

import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPeer } from '../e2e/matrix/peer.ts';
import { overSocket } from '../e2e/matrix/socket-peer.ts';
import { createMcpHttp } from '../fuzz-http/mcp-http.ts';
import { verifies } from '../verifies.ts';
import { sendRaw } from './send-raw.ts';
import { openAttackHarness, OWNER_TOKEN, type AttackHarness } from './attack-harness.ts';

const LEAST_TRIES = 154;
const TOKENS = 64;
const SESSIONS = 40;
const TOKEN = /^exai_[A-Za-z0-9_-]{43}$/;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let harness: AttackHarness;
let umask = 0;
let atWork: ReturnType<typeof createMcpHttp>;

beforeAll(async () => {
  // As careless as a machine can be set up: what the daemon writes is to be private all the same.
  umask = process.umask(0);
  harness = await openAttackHarness();
  // A client at work: the guesses that follow must not stop its requests.
  atWork = createMcpHttp({ url: harness.url, token: OWNER_TOKEN });
  await atWork.openSession();
});
afterAll(async () => {
  atWork?.close();
  process.umask(umask);
  await harness?.close();
});

const tokens: string[] = [];
let tries = 0;

verifies('security:tokens', 'tokens of clients are 256 random bits', async () => {
  const peer = await createPeer('legacy', overSocket(harness.socketPath, { cwd: '/' }));
  for (let made = 0; made < TOKENS; made++) {
    const params = { name: `client-${made}`, scopes: ['version'] };
    const { result = {} } = await peer.request('exai/access/add', params);
    tokens.push(String(result['token']));
  }
  await peer.vanish();
  expect(tokens.filter((token) => !TOKEN.test(token))).toEqual([]);
  const random = tokens.map((token) => Buffer.from(token.slice('exai_'.length), 'base64url'));
  expect(random.every((bytes) => bytes.length === 32)).toBe(true);
  // No counter, time or constant part: every column of bytes differs from token to token.
  for (let column = 0; column < 32; column++) {
    expect(new Set(random.map((bytes) => bytes[column])).size).toBeGreaterThan(TOKENS / 4);
  }
  const ones = random.flatMap((bytes) => [...bytes]).reduce((sum, byte) => sum + bitsOf(byte), 0);
  const share = ones / (TOKENS * 256);
  expect(share).toBeGreaterThan(0.45);
  expect(share).toBeLessThan(0.55);
});

function bitsOf(byte: number): number {
  return byte.toString(2).replaceAll('0', '').length;
}

verifies('security:tokens', 'of a token only its SHA-256 is stored', () => {
  const files = filesOf(harness.home).map((file) => readFileSync(file));
  const holds = (text: string) => files.some((content) => content.includes(text));
  for (const token of tokens) {
    expect(holds(token)).toBe(false);
    expect(holds(token.slice('exai_'.length))).toBe(false);
    expect(holds(hash('sha256', token))).toBe(true);
  }
  expect(holds(OWNER_TOKEN)).toBe(false);
});

verifies('security:tokens', 'only the whole token is taken', async () => {
  const [good = ''] = tokens;
  const changed = [
    '',
    ' ',
    'Bearer',
    ...[OWNER_TOKEN, good].flatMap((token) => [
      token.slice(0, -1),
      `${token}x`,
      `x${token}`,
      token.toUpperCase(),
      token.toLowerCase(),
      `${token}%00`,
      `${token},${token}`,
      token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      hash('sha256', token),
      Buffer.from(token).toString('base64'),
      encodeURIComponent(`${token} `),
    ]),
  ].filter((token) => token !== OWNER_TOKEN && token !== good);
  for (const token of changed) {
    for (const line of [`Authorization: Bearer ${token}`, `X-Api-Key: ${token}`]) {
      const bytes = `GET /v1/models HTTP/1.1\r\nHost: ${harness.host}\r\nConnection: close\r\n${line}\r\n\r\n`;
      tries += 1;
      const [answer] = await sendRaw(harness.port, { bytes });
      // Too many wrong ones may be told to wait.
      expect([line, [401, 429].includes(answer?.status ?? 0)]).toEqual([line, true]);
    }
  }
});

test('tokens and signatures are compared in constant time', () => {
  // It cannot be measured in a test; that the right function compares them can be read.
  for (const file of ['src/auth/authenticator.ts', 'src/calls/request-state.ts']) {
    expect([file, readFileSync(file, 'utf8')]).toEqual([
      file,
      expect.stringMatching(/timingSafeEqual\(\w+(?:\.digest)?, \w+\)/),
    ]);
  }
});

verifies('security:tokens', 'ids of sessions are random UUIDs', async () => {
  const sessions: string[] = [];
  for (let opened = 0; opened < SESSIONS; opened++) sessions.push(await atWork.openSession());
  expect(sessions.filter((session) => !UUID_V4.test(session))).toEqual([]);
  expect(new Set(sessions).size).toBe(SESSIONS);
});

verifies('security:tokens', 'whatever the daemon writes, only its user may read', () => {
  const open = filesOf(harness.home).filter((file) => (statSync(file).mode & 0o077) !== 0);
  expect(open).toEqual([]);
  expect(statSync(harness.home).mode & 0o077).toBe(0);
  expect(statSync(harness.socketPath).mode & 0o077).toBe(0);
});

test('all of them were tried', () => {
  tries += tokens.length + SESSIONS;
  console.log(`crypto: ${tries} tries`);
  expect(tries).toBeGreaterThanOrEqual(LEAST_TRIES);
});

/** The lock apart: nothing is ever written into it, and nobody else can reach it. */
function filesOf(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('daemon.lock'))
    .map((entry) => join(entry.parentPath, entry.name));
}

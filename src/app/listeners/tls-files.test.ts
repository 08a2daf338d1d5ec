import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { makeCertificates, type Certificates } from '#net/certificates.fixture.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import { withTls } from './listen-on-tcp.ts';
import { loadTls, watchTls, type LoadedTls } from './tls-files.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
let good: Certificates;
let other: Certificates;
let nowMs: number;

beforeAll(() => {
  good = makeCertificates('DNS:exai.test,DNS:*.exai.test,IP:127.0.0.1');
  other = makeCertificates('DNS:other.test');
  nowMs = Date.now();
});

function files({ cert, key }: Pick<Certificates, 'cert' | 'key'>, keyMode = 0o600) {
  const folder = mkdtempSync(join(tmpdir(), 'exai-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const write = (next: Pick<Certificates, 'cert' | 'key'>) => {
    writeFileSync(at.cert, next.cert);
    writeFileSync(at.key, next.key);
    chmodSync(at.key, keyMode);
  };
  write({ cert, key });
  return { ...at, write };
}

function refusalOf(tls: { cert: string; key: string }, atMs = nowMs): CallError | undefined {
  try {
    loadTls(tls, atMs);
  } catch (thrown) {
    return CallError.from(thrown);
  }
  return undefined;
}

test('a certificate with its key is read, with the names it is for', () => {
  const loaded = loadTls(files(good), nowMs + DAY_MS);
  expect(loaded).toMatchObject({ names: ['exai.test', '*.exai.test'], leaf: good.cert.trim() });
  expect(loaded?.validToMs).toBeGreaterThan(nowMs);
  expect(loadTls({ cert: '', key: '' }, nowMs)).toBeUndefined();
});

test('a key that the group may read is accepted, as certificate tools write it', () => {
  expect(refusalOf(files(good, 0o640), nowMs + DAY_MS)).toBeUndefined();
});

test.each([0o644, 0o604, 0o620, 0o602])('a key of mode %o is refused with the fix', (mode) => {
  const at = files(good, mode);
  expect(refusalOf(at, nowMs + DAY_MS)).toMatchObject({
    class: 'permission',
    field: 'tls.key',
    fix: `Run: chmod 600 ${at.key}`,
  });
});

test('certificates that are expired, not valid yet, of another key, or not PEM are refused with the reason', () => {
  const at = files(good);
  expect(refusalOf(at, nowMs + YEAR_MS)?.message).toContain('(tls.cert) has expired on');
  expect(refusalOf(at, nowMs - YEAR_MS)?.message).toContain('(tls.cert) is not valid before');
  expect(refusalOf(files({ cert: good.cert, key: other.key }), nowMs + DAY_MS)).toMatchObject({
    class: 'validation',
    field: 'tls.key',
  });
  for (const cert of [
    '',
    'no certificate',
    '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----',
  ]) {
    expect(refusalOf(files({ cert, key: good.key }))).toMatchObject({ field: 'tls.cert' });
  }
  expect(refusalOf(files({ cert: good.cert, key: 'no key' }), nowMs + DAY_MS)).toMatchObject({
    field: 'tls.key',
  });
  expect(refusalOf({ ...at, cert: '/nowhere/cert.pem' })).toMatchObject({
    class: 'not_found',
    field: 'tls.cert',
  });
  expect(refusalOf({ ...at, cert: '/' })).toMatchObject({ field: 'tls.cert' });
  expect(refusalOf({ cert: at.cert, key: '' })?.message).toBe(
    'tls.cert is set and tls.key is not.',
  );
  expect(refusalOf({ cert: '', key: at.key })?.message).toBe('tls.key is set and tls.cert is not.');
});

test('a key with a password is refused as such, and none of it is shown', () => {
  const key = execFileSync(
    'openssl',
    ['pkcs8', '-topk8', '-v2', 'aes-256-cbc', '-passout', 'pass:hunter2'],
    { input: good.key, stdio: ['pipe', 'pipe', 'ignore'] },
  ).toString('utf8');
  const refusal = refusalOf(files({ cert: good.cert, key }), nowMs + DAY_MS);
  expect(refusal?.message).toMatch(/\(tls\.key\) is locked by a password\.$/);
});

test.each([
  ['127.0.0.1', 'https://127.0.0.1:8765'],
  ['0.0.0.0', 'https://exai.test:8765'],
  ['10.0.0.1', 'https://exai.test:8765'],
])('the URL of a daemon on %s has a name of its certificate: %s', (host, url) => {
  const tls = loadTls(files(good), nowMs + DAY_MS) as LoadedTls;
  const bound = { host, port: 8765, url: `https://${host}:8765` };
  expect(withTls(bound, tls)).toMatchObject({ host, port: 8765, url });
});

test('a renewed certificate is loaded without a restart, and an invalid one is logged and ignored', async () => {
  const clock = createFakeClock();
  const at = files(good);
  const log = createListLog();
  const renewed: string[] = [];
  // The test clock starts before the validity of every certificate.
  const shifted = { ...clock, now: () => nowMs + DAY_MS };
  const timer = watchTls({
    files: at,
    clock: shifted,
    log,
    onRenewed: ({ leaf }) => void renewed.push(leaf),
  });
  onTestFinished(() => timer.stop());
  const minute = async () => {
    clock.advance(60_000);
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
  await minute();
  expect(renewed).toEqual([]);
  at.write({ cert: other.cert, key: good.key });
  utimesSync(at.cert, 1, 1);
  await minute();
  expect([renewed, log.lines.map(({ event }) => event)]).toEqual([[], ['certificate_not_renewed']]);
  at.write(other);
  utimesSync(at.cert, 2, 2);
  await minute();
  expect(renewed).toEqual([other.cert.trim()]);
  rmSync(at.cert);
  await minute();
  expect(renewed).toHaveLength(1);
});

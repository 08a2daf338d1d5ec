import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { homePaths } from '#config/home/home.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createShimLog } from './shim-log.ts';

function createLog() {
  const root = mkdtempSync(join(tmpdir(), 'exai-shim-log-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const env = { EXAI_HOME: root, EXAI_TIMEZONE: 'Europe/Berlin' };
  const clock = createFakeClock();
  const log = createShimLog(homePaths(env), env, clock);
  return { log, clock, folder: join(root, 'logs'), file: join(root, 'logs', 'shim.jsonl') };
}

test('a line has the three timestamps of its own moment, and the file is private', async () => {
  const { log, clock, folder, file } = createLog();
  mkdirSync(folder);
  log.warn('connection_lost', { reason: 'gone' });
  clock.jump(60_000);
  log.with({ tries: 2 }).info('connection_restored');
  await log.flush();
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    {
      timestamp_unix: 1_760_054_749.591,
      timestamp_utc: '2025-10-10T00:05:49.591Z',
      timestamp_local: '2025-10-10 02:05:49 CEST',
      level: 'warn',
      event: 'connection_lost',
      pid: process.pid,
      reason: 'gone',
    },
    {
      timestamp_utc: '2025-10-10T00:06:49.591Z',
      level: 'info',
      event: 'connection_restored',
      tries: 2,
    },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a file that has grown to five megabytes is moved aside', async () => {
  const { log, folder, file } = createLog();
  mkdirSync(folder);
  writeFileSync(file, 'x'.repeat(5_242_880));
  log.warn('connection_lost');
  await log.flush();
  expect(statSync(`${file}.1`).size).toBe(5_242_880);
  expect(statSync(file).size).toBeLessThan(1000);
});

test('without a folder, and with more to say than is of use, it neither fails nor grows', async () => {
  const { log, clock } = createLog();
  for (let i = 0; i < 10_000; i++) log.error('again');
  await expect(log.flush()).resolves.toBeUndefined();
  expect(clock.waiting).toBe(0);
});

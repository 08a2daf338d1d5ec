import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { homePaths } from '#config/home/home.ts';
import {
  describeStartProgress,
  readStartProgress,
  removeStartProgress,
  writeStartProgress,
} from '#config/home/start-progress.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { verifies } from '../../test/verifies.ts';
import type { ConnectAttempt } from './connect-to-daemon.ts';
import { compareVersions, startIfNeeded } from './start-daemon-if-needed.ts';
import { createStartProgressLines } from './start-progress-lines.ts';

const ORDER = [
  '0.0.0-source',
  '0.1.0-alpha',
  '0.1.0-alpha.1',
  '0.1.0-alpha.beta',
  '0.1.0-beta.2',
  '0.1.0-beta.11',
  '0.1.0',
  '0.1.1',
  '0.2.0',
  '0.10.0',
  '1.0.0',
];

test('versions are ordered as semver orders them', () => {
  for (const [i, a] of ORDER.entries()) {
    for (const [j, b] of ORDER.entries()) {
      expect(Math.sign(compareVersions(a, b)), `${a} and ${b}`).toBe(Math.sign(i - j));
    }
  }
});

test('a build makes no difference, and nonsense is old', () => {
  expect(compareVersions('1.0.0+a', '1.0.0+b')).toBe(0);
  expect(compareVersions('what?', '0.1.0')).toBeLessThan(0);
});

function upgrading(found: 'absent' | 'busy', autostart: 'on' | 'off') {
  const root = mkdtempSync(join(tmpdir(), 'exai-upgrade-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = homePaths({ EXAI_HOME: root });
  const clock = createFakeClock();
  let attempts = 0;
  const told: string[] = [];
  const lines = createStartProgressLines(clock, (sentence) => void told.push(sentence));
  const attempt = async (): Promise<ConnectAttempt> => {
    attempts += 1;
    return found;
  };
  writeStartProgress(home, { pid: process.pid, step: 'backup', done: 0, total: 100 });
  const outcome = startIfNeeded(
    found,
    attempt,
    {},
    {
      home,
      kind: 'cli',
      version: '1.0.0',
      cwd: root,
      env: { EXAI_HOME: root },
      clock,
      autostart,
      program: ['/nowhere/no-daemon'],
      onStartProgress: lines,
      loadWebSocket: () => Promise.reject(new Error('not needed')),
    },
  ).then(
    () => 'connected',
    (thrown: { class?: string }) => thrown.class,
  );
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1000) {
      const next = await Promise.race([clock.untilWaiting(), outcome.then(() => 'over')]);
      if (next === 'over') return;
      clock.advance(1000);
    }
  };
  return { home, pass, outcome, told, attempts: () => attempts };
}

verifies(
  'store:upgrade-progress',
  'a program waits as long as the upgrade of the store makes progress, and says how far it is',
  async () => {
    const { home, pass, outcome, told } = upgrading('busy', 'on');
    for (let done = 0; done < 100; done += 10) {
      writeStartProgress(home, { pid: process.pid, step: 'backup', done, total: 100 });
      await pass(30_000);
      expect(told.at(-1)).toContain(`${done} %`);
    }
    expect(told[0]).toBe('The daemon is migrating the store (saving a backup first, 0 %).');
    // Afterwards the daemon has the time that any start has.
    removeStartProgress(home);
    await pass(22_000);
    expect(await outcome).toBe('timeout');
  },
);

verifies(
  'store:upgrade-progress',
  'an upgrade that stands still for ten minutes is given up, and none is started beside it',
  async () => {
    const { pass, outcome, attempts } = upgrading('absent', 'off');
    await pass(601_000);
    expect(await outcome).toBe('timeout');
    expect(attempts()).toBeGreaterThan(100);
  },
);

test('the progress of a daemon that was killed is none', () => {
  const { home } = upgrading('busy', 'on');
  expect(readStartProgress(home)).toMatchObject({ step: 'backup' });
  writeStartProgress(home, { pid: 2 ** 30, step: 'schema', done: 1, total: 3 });
  expect(readStartProgress(home)).toBeUndefined();
  expect(describeStartProgress({ pid: 1, step: 'schema', done: 1, total: 3 })).toBe(
    'migrating the store (changing its tables, step 2 of 3)',
  );
  expect(describeStartProgress({ pid: 1, step: 'backup', done: 5000 })).toBe(
    'migrating the store (saving a backup first, 5000 rows)',
  );
});

test.skipIf(!existsSync('/proc/self/stat'))(
  'a process that has the pid of a killed daemon upgrades nothing',
  () => {
    const { home } = upgrading('busy', 'on');
    const { startProgressFile: file } = home;
    const record = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    expect(readStartProgress(home)).toMatchObject({ pid: process.pid, step: 'backup' });
    for (const other of [{ started: '1' }, { started: undefined }, { done: 1e99 }]) {
      writeFileSync(file, JSON.stringify({ ...record, ...other }));
      expect(readStartProgress(home)).toBeUndefined();
    }
  },
);

test.each<[string, (path: string) => void]>([
  ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ['a folder', (path) => mkdirSync(path)],
  ['larger than the memory', (path) => (writeFileSync(path, ''), truncateSync(path, 3 * 2 ** 30))],
])('a progress file that is %s reports nothing', (_, put) => {
  const { home } = upgrading('busy', 'on');
  rmSync(home.startProgressFile);
  put(home.startProgressFile);
  expect(readStartProgress(home)).toBeUndefined();
});

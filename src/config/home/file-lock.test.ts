import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  symlinkSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withFileLock } from './file-lock.ts';

function tempFile(): { path: string; lock: string } {
  const dir = mkdtempSync(join(tmpdir(), 'exai-lock-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return { path: join(dir, 'file'), lock: join(dir, 'file.lock') };
}

test('the lock holds our pid while the work runs and is gone after it, also when it fails', () => {
  const { path, lock } = tempFile();
  expect(withFileLock(path, () => readFileSync(lock, 'utf8'))).toBe(`${process.pid}\n`);
  const fail = () => {
    throw new Error('no');
  };
  expect(() => withFileLock(path, fail)).toThrow('no');
  expect(readdirSync(dirname(path))).toEqual([]);
});

test('who comes second waits for the first', () => {
  const { path, lock } = tempFile();
  writeFileSync(lock, `${process.pid}\n`);
  const events: string[] = [];
  const pause = () => {
    events.push('waited');
    if (events.length === 3) rmSync(lock);
  };
  withFileLock(path, () => events.push('worked'), pause);
  expect(events).toEqual(['waited', 'waited', 'waited', 'worked']);
});

test('the lock of a process that ended is taken over at once', () => {
  const { path, lock } = tempFile();
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(lock, `${pid}\n`);
  const never = () => expect.fail('waited');
  expect(withFileLock(path, () => readFileSync(lock, 'utf8'), never)).toBe(`${process.pid}\n`);
  expect(readdirSync(dirname(path))).toEqual([]);
});

test.each([`${process.pid}\n`, '', 'nonsense'])(
  'a lock with %j in it that never changes is taken over after a while',
  (content) => {
    const { path, lock } = tempFile();
    writeFileSync(lock, content);
    let pauses = 0;
    withFileLock(
      path,
      () => {},
      () => void pauses++,
    );
    expect(pauses).toBe(250);
    expect(existsSync(lock)).toBe(false);
  },
);

test('a lock that others pass on among themselves is not waited for without end', () => {
  const { path, lock } = tempFile();
  writeFileSync(lock, `${process.pid}\n`);
  const passOn = () => {
    rmSync(lock);
    writeFileSync(lock, `${process.pid}\n`);
  };
  expect(() => withFileLock(path, () => {}, passOn)).toThrow(
    `Other processes keep changing ${path}; its lock is ${lock}.`,
  );
  expect(existsSync(lock)).toBe(true);
});

test('work that outlives its lock leaves the lock of the next alone', () => {
  const { path, lock } = tempFile();
  withFileLock(path, () => {
    rmSync(lock);
    writeFileSync(lock, 'of another');
  });
  expect(readFileSync(lock, 'utf8')).toBe('of another');
});

test.each<[string, (lock: string) => unknown]>([
  ['a folder', (lock) => mkdirSync(lock)],
  ['a pipe', (lock) => spawnSync('mkfifo', [lock])],
  ['a link', (lock) => symlinkSync('/nowhere', lock)],
])('%s in the place of the lock is refused, not waited for', (_what, make) => {
  const { path, lock } = tempFile();
  make(lock);
  const never = () => expect.fail('waited');
  expect(() => withFileLock(path, () => {}, never)).toThrow(`${lock} is not a lock file of EX-AI.`);
});

test('a folder that cannot be written is named', () => {
  expect(() => withFileLock('/proc/no/such', () => {})).toThrow('/proc/no/such.lock');
});

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { acquireStartLock } from './start-lock.ts';

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'exai-claim-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, file: join(folder, 'daemon.starting') };
}

/** No process has it: the system hands out smaller ones. */
const NOBODY = 2 ** 22 + 1;
const now = { now: () => Date.now() };

test('one of several has the right to start, until it gives it back', () => {
  const { file, folder } = place();
  const first = acquireStartLock(file, now);
  expect(first).toBeDefined();
  expect(acquireStartLock(file, now)).toBeUndefined();
  first?.release();
  expect(readdirSync(folder)).toEqual([]);
  expect(acquireStartLock(file, now)).toBeDefined();
});

test('the claim of a process that died counts no more', () => {
  const { file, folder } = place();
  writeFileSync(file, `${NOBODY}\n`);
  expect(acquireStartLock(file, now)).toBeDefined();
  expect(readdirSync(folder)).toEqual(['daemon.starting']);
});

test('a claim that is too old counts no more, nor does one from the future', () => {
  for (const shiftS of [-20, 20]) {
    const { file } = place();
    writeFileSync(file, `${process.pid}\n`);
    const at = Date.now() / 1000 + shiftS;
    utimesSync(file, at, at);
    expect(acquireStartLock(file, now), `${shiftS} s`).toBeDefined();
  }
});

test('who gives a claim back leaves that of another alone', () => {
  const { file, folder } = place();
  const first = acquireStartLock(file, now);
  rmSync(file);
  writeFileSync(file, `${process.pid}\n`);
  first?.release();
  expect(readdirSync(folder)).toEqual(['daemon.starting']);
});

test.each(['', 'x', '12x\n', '-1\n', '0\n'])(
  'a lock with the content %j expires after a second',
  (content) => {
    const { file } = place();
    writeFileSync(file, content);
    expect(acquireStartLock(file, now)).toBeUndefined();
    const at = Date.now() / 1000 - 2;
    utimesSync(file, at, at);
    expect(acquireStartLock(file, now)).toBeDefined();
    expect(readFileSync(file, 'utf8')).toBe(`${process.pid}\n`);
  },
);

test('a folder in its place is put aside with all that is in it', () => {
  const { file, folder } = place();
  mkdirSync(file);
  const at = Date.now() / 1000 - 2;
  utimesSync(file, at, at);
  expect(acquireStartLock(file, now)).toBeDefined();
  expect(readdirSync(folder)).toEqual(['daemon.starting', `daemon.starting.${process.pid}`]);
});

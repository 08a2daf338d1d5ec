import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openHeadFile, readHeadFile, resetHeadFile } from './head-file.ts';

const WRITER = 'writer_a';
const hashOf = (seq: number) => String(seq).padStart(64, '0');
const headOf = (seq: number) => ({ seq, hash: hashOf(seq) });

function makeFile(seq = 0): string {
  const folder = mkdtempSync(join(tmpdir(), 'exai-head-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'audit-head');
  resetHeadFile(path, { writerId: WRITER, ...headOf(seq) });
  return path;
}

test('the newest head is read back, and the file belongs to its owner alone', async () => {
  const path = makeFile(3);
  expect(readHeadFile(path)).toEqual({ writerId: WRITER, ...headOf(3) });
  const file = openHeadFile(path, WRITER);
  for (let seq = 4; seq < 20; seq++) {
    file.record(headOf(seq));
    expect(readHeadFile(path)?.seq).toBe(seq);
  }
  await file.sync();
  file.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  resetHeadFile(path, { writerId: WRITER, ...headOf(1) });
  expect(readHeadFile(path)?.seq).toBe(1);
});

test('a write that a crash cut anywhere leaves the head before it', () => {
  const path = makeFile();
  const file = openHeadFile(path, WRITER);
  file.record(headOf(8));
  const before = readFileSync(path);
  file.record(headOf(9));
  file.close();
  const after = readFileSync(path);
  for (let cut = 0; cut <= after.length; cut += 7) {
    writeFileSync(path, Buffer.concat([after.subarray(0, cut), before.subarray(cut)]));
    expect([8, 9]).toContain(readHeadFile(path)?.seq);
    writeFileSync(path, Buffer.concat([before.subarray(0, cut), after.subarray(cut)]));
    expect([8, 9]).toContain(readHeadFile(path)?.seq);
  }
});

test('a file without a readable head is no record', () => {
  const path = makeFile(5);
  truncateSync(path, 0);
  expect(readHeadFile(path)).toBeUndefined();
  writeFileSync(path, '{"writer":"writer_a","seq":9,"hash":"00","check":"0000000000000000"}');
  expect(readHeadFile(path)).toBeUndefined();
  rmSync(path);
  expect(readHeadFile(path)).toBeUndefined();
});

test.each<[string, (path: string) => void]>([
  ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ['larger than the memory', (path) => (writeFileSync(path, ''), truncateSync(path, 3 * 2 ** 30))],
  ['a link to nothing', (path) => symlinkSync('/nowhere/audit-head', path)],
  ['a link to a folder', (path) => symlinkSync(tmpdir(), path)],
])('a file that is %s is no record, and the next start replaces it', (_, put) => {
  const path = makeFile(5);
  rmSync(path);
  put(path);
  expect(readHeadFile(path)).toBeUndefined();
  resetHeadFile(path, { writerId: WRITER, ...headOf(6) });
  expect(readHeadFile(path)?.seq).toBe(6);
});

test('a folder in its place is named, with what to do', () => {
  const path = makeFile(5);
  rmSync(path);
  mkdirSync(path);
  expect(readHeadFile(path)).toBeUndefined();
  expect(() => resetHeadFile(path, { writerId: WRITER, ...headOf(6) })).toThrowError(
    expect.objectContaining({ class: 'validation', field: path }),
  );
});

test('a row number that no chain can have is no record', () => {
  const path = makeFile(5);
  for (const seq of [-1, 1.5, 2 ** 60]) {
    const check = hash('sha256', JSON.stringify([WRITER, seq, hashOf(5)])).slice(0, 16);
    writeFileSync(path, JSON.stringify({ writer: WRITER, seq, hash: hashOf(5), check }));
    expect(readHeadFile(path)).toBeUndefined();
  }
});

test('a process that was killed within a start leaves no file behind for long', () => {
  const path = makeFile(5);
  writeFileSync(`${path}.tmp`, 'half a');
  resetHeadFile(path, { writerId: WRITER, ...headOf(6) });
  expect(readdirSync(dirname(path))).toEqual(['audit-head']);
});

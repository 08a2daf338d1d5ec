import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

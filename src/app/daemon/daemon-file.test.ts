import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readDaemonFile, removeDaemonFile, writeDaemonFile } from './daemon-file.ts';

const RECORD = {
  pid: 42,
  url: 'http://127.0.0.1:8765',
  host: '127.0.0.1',
  port: 8765,
  version: '1.2.3',
  startedAt: '2025-10-10T00:05:49.591Z',
  node: 'v20.19.0',
  instance: '0123456789abcdef',
  pidNamespace: 'pid:[4026531836]',
  storedIn: 'SQLite in /home/me/.exai/data',
};

test('a record is written and read back, readable only by its owner', () => {
  const file = tempFile();
  writeDaemonFile(file, RECORD);
  expect(readDaemonFile(file)).toEqual(RECORD);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  removeDaemonFile(file);
  expect(readDaemonFile(file)).toBeUndefined();
});

test.each(['', '{', 'null', '[]', '{"pid":"x"}', JSON.stringify({ ...RECORD, pid: -1 })])(
  'a file that holds %j names no daemon',
  (content) => {
    const file = tempFile();
    writeFileSync(file, content);
    expect(readDaemonFile(file)).toBeUndefined();
  },
);

function tempFile(): string {
  const dir = mkdtempSync(join(tmpdir(), 'exai-daemon-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'daemon.json');
}

import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEarlySync } from './early-sync.ts';

const MIB = 1024 * 1024;

function database(): string {
  const folder = mkdtempSync(join(tmpdir(), 'exai-early-sync-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'exai.db');
}

/** How often this process has a file open. */
function opened(path: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      // Closed meanwhile.
      return false;
    }
  }).length;
}

test.runIf(process.platform === 'linux')(
  'the log is synced from 8 MiB of bulk writes on, once at a time, and closed at their end',
  async () => {
    const file = database();
    writeFileSync(`${file}-wal`, Buffer.alloc(MIB));
    const early = createEarlySync(file);
    early.wrote(8 * MIB - 1);
    expect(opened(`${file}-wal`)).toBe(0);
    for (const bytes of [1, 8 * MIB, 8 * MIB]) {
      early.wrote(bytes);
      expect(opened(`${file}-wal`)).toBe(1);
    }
    early.end();
    await expect.poll(() => opened(`${file}-wal`)).toBe(0);
    early.wrote(8 * MIB);
    expect(opened(`${file}-wal`)).toBe(1);
    early.end();
    await expect.poll(() => opened(`${file}-wal`)).toBe(0);
  },
);

test('a log that is absent, and other platforms, are left alone', () => {
  const file = database();
  const early = createEarlySync(file);
  expect(() => early.wrote(8 * MIB)).not.toThrow();
  writeFileSync(`${file}-wal`, '');
  const elsewhere = createEarlySync(file, 'darwin');
  elsewhere.wrote(8 * MIB);
  expect(process.platform === 'linux' ? opened(`${file}-wal`) : 0).toBe(0);
});

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { homePaths } from '#config/home/home.ts';
import { daemonState } from './daemon-state.ts';
import { diagnose } from '../doctor/doctor.ts';
import { system } from '../system.ts';

const REFUSED = expect.objectContaining({
  class: 'permission',
  message: expect.stringContaining('You may not look into') as string,
}) as Error;

test('a missing or empty home has no daemon', () => {
  const root = tempFolder();
  for (const home of [root, join(root, 'nowhere')]) {
    expect(daemonState(homePaths({ EXAI_HOME: home }))).toEqual({ is: 'absent' });
  }
});

test('an unreadable home does not count as one without a daemon', async () => {
  const root = join(tempFolder(), 'closed');
  mkdirSync(root);
  const env = { EXAI_HOME: root };
  await asStranger(root, async () => {
    expect(() => daemonState(homePaths(env))).toThrow(REFUSED);
    await expect(diagnose({ env }, system)).rejects.toThrow(REFUSED);
  });
});

/**
 * Runs work without the permission to read a folder. Root may read everything, so the process
 * switches to another user meanwhile.
 */
async function asStranger(folder: string, work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  chmodSync(folder, 0);
  if (isRoot) process.seteuid?.(1);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o700);
  }
}

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'exai-state-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

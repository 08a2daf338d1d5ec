import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Clock } from '#core/time/clock.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms).unref();
    return { stop: () => clearTimeout(timer) };
  },
};

/** Whether a process still runs. One that ended and was not collected by its parent is gone. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    const about = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The state follows the name, which is in brackets and may hold anything.
    return about.slice(about.lastIndexOf(')') + 2, about.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    // It ended meanwhile.
    return false;
  }
}

/** Resolves when a condition holds; the timeout of the test ends the wait. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(20);
}

/** Resolves when none of them runs. */
export function untilGone(pids: readonly number[]): Promise<void> {
  return until(() => !pids.some(isRunning));
}

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'exai-programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An executable file with these lines of `/bin/sh`. */
export function writeScript(folder: string, name: string, ...lines: readonly string[]): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${lines.join('\n')}\n`);
  chmodSync(file, 0o755);
  return file;
}

/**
 * Lines of a script that starts two processes, all three deaf to SIGTERM, and writes the three
 * process ids to `$PIDS`.
 */
export const STUBBORN_FAMILY = [
  `trap '' TERM`,
  '(sleep 1000; sleep 1000) &',
  'first=$!',
  `sh -c 'sleep 1000; sleep 1000' &`,
  'echo "$$ $first $!" > "$PIDS.part" && mv "$PIDS.part" "$PIDS"',
  'while :; do sleep 1000; done',
];

/** The process ids that such a script wrote, when it has. */
export async function readPids(file: string): Promise<readonly number[]> {
  const read = () => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      // Not written yet.
      return '';
    }
  };
  await until(() => read() !== '');
  const pids = read().trim().split(' ').map(Number);
  // They ignore SIGTERM, and would outlive a test that fails.
  onTestFinished(() => pids.filter(isRunning).forEach((pid) => process.kill(pid, 'SIGKILL')));
  return pids;
}

import { statSync } from 'node:fs';
import type { Home } from '#config/home.ts';
import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import { sleep, type Clock } from '#core/clock.ts';
import { command, fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { acquireProcessLock, isProcessLockHeld, type ProcessLock } from '#store/process-lock.ts';
import { placeOf, readDaemonFile, removeDaemonFile, type DaemonRecord } from './daemon-file.ts';

// `exai status` shares the lock for an instant when it looks; that must not turn a daemon away.
const GLANCE_MS = 250;
const PAUSE_MS = 50;

export interface Claim extends ProcessLock {
  /** What a daemon that was killed left of itself. */
  readonly leftBy: DaemonRecord | undefined;
  /** Whether the lock file is still the one that is held: a removed one keeps nobody out. */
  isIntact(): boolean;
}

/**
 * One daemon per home: takes its lock, or points to the daemon that has it. `patienceMs`: how long to wait for one that
 * is just stopping.
 */
export async function claimHome(home: Home, clock: Clock, patienceMs = 0): Promise<Claim> {
  const begun = clock.monotonic();
  const isWorthwhile = () => {
    const waited = clock.monotonic() - begun;
    return waited < GLANCE_MS || (waited < patienceMs && !readDaemonFile(home.daemonFile));
  };
  while (isWorthwhile()) {
    const lock = acquireProcessLock(home.lockFile);
    if (lock) {
      const held = identity(home.lockFile);
      const isIntact = () => identity(home.lockFile) === held;
      return { ...lock, leftBy: takeRecord(home.daemonFile), isIntact };
    }
    await sleep(clock, PAUSE_MS);
  }
  throw alreadyRunning(home);
}

function identity(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/** It speaks of a process that is gone, and by now perhaps of a stranger: nobody must find it any more. */
function takeRecord(daemonFile: string): DaemonRecord | undefined {
  const left = readDaemonFile(daemonFile);
  removeDaemonFile(daemonFile);
  return left;
}

/** Whether a living process holds the lock. */
export function isHomeClaimed(home: Home): boolean {
  return hasLockFile(home) && isProcessLockHeld(home.lockFile);
}

/** A home that may not be looked into must not pass for one without a daemon. */
function hasLockFile(home: Home): boolean {
  try {
    statSync(home.lockFile);
    return true;
  } catch (thrown) {
    const failure = CallError.from(thrown);
    if (failure.class !== 'permission') return false;
    throw new CallError('permission', `You may not look into ${home.root}. ${failure.message}.`, {
      field: 'EXAI_HOME',
      fixes: [
        fix('set_setting', { setting: 'EXAI_HOME', value: 'a folder of your own' }),
        'Or run this as the user who owns that folder.',
      ],
      cause: thrown,
    });
  }
}

function alreadyRunning(home: Home): CallError {
  const daemon = readDaemonFile(home.daemonFile);
  const what = {
    home: home.root,
    ...(daemon && { daemon: { pid: daemon.pid, address: placeOf(daemon) } }),
  };
  return codedError('conflict', reason('home_in_use', what), {
    fixes: [
      fix('set_setting', { setting: 'EXAI_HOME', value: 'another folder' }),
      command('exai stop', 'end it'),
      'Or use it as it is.',
    ],
  });
}

import { statSync } from 'node:fs';
import type { Home } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import { commandFix, fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import {
  acquireProcessLock,
  isProcessLockHeld,
  type ProcessLock,
} from '#store/sqlite/process-lock.ts';
import {
  displayAddress,
  readDaemonFile,
  removeDaemonFile,
  type DaemonRecord,
} from './daemon-file.ts';

// `exai status` holds the lock for a moment when it checks; that must not prevent a daemon from
// starting.
const GLANCE_MS = 250;
const PAUSE_MS = 50;

export interface Claim extends ProcessLock {
  /** The record of a killed daemon. */
  readonly leftBy: DaemonRecord | undefined;
  /** Whether the lock file is still the held one: a removed file excludes no other daemon. */
  isIntact(): boolean;
}

/**
 * Ensures one daemon per home: takes its lock, or throws with the address of the daemon that has
 * it. `waitMs`: how long to wait for a daemon that is stopping.
 */
export async function claimHome(home: Home, clock: Clock, waitMs = 0): Promise<Claim> {
  const begun = clock.monotonic();
  const isWorthwhile = () => {
    const waited = clock.monotonic() - begun;
    return waited < GLANCE_MS || (waited < waitMs && !readDaemonFile(home.daemonFile));
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

/** Undefined also where the folder cannot be read, as its file is unknown then. */
function identity(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/**
 * Reads and removes the stale record: its process is gone, and its pid may belong to another one.
 */
function takeRecord(daemonFile: string): DaemonRecord | undefined {
  const left = readDaemonFile(daemonFile);
  removeDaemonFile(daemonFile);
  return left;
}

/** Whether a living process holds the lock. */
export function isHomeClaimed(home: Home): boolean {
  return hasLockFile(home) && isProcessLockHeld(home.lockFile);
}

/** An unreadable home must not count as one without a daemon. */
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
        fix('set_setting', { setting: 'EXAI_HOME', value: 'another folder' }),
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
    ...(daemon && { daemon: { pid: daemon.pid, address: displayAddress(daemon) } }),
  };
  return codedError('conflict', reason('home_in_use', what), {
    fixes: [
      fix('set_setting', { setting: 'EXAI_HOME', value: 'another folder' }),
      commandFix('exai stop', 'end it'),
      'Or use it as it is.',
    ],
  });
}

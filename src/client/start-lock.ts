import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { Clock } from '#core/time/clock.ts';

/** The lock of a process that is starting a daemon. */
export interface StartLock {
  release(): void;
}

/** A lock without a readable holder is foreign; it expires after this. */
const UNREADABLE_AFTER_MS = 1000;

/** A daemon is up long before this; an older lock was left by a process that was stopped. */
const STALE_AFTER_MS = 15_000;

/**
 * Acquires the lock for starting the daemon of a home; undefined while another process holds it. It
 * only saves work: if two daemons are started anyway, the lock of the home lets one of them run.
 */
export function acquireStartLock(file: string, clock: Pick<Clock, 'now'>): StartLock | undefined {
  const mine = create(file);
  if (mine !== undefined) return lockOf(file, mine);
  const theirs = identityOf(file);
  if (theirs === undefined || !isStale(file, clock)) return undefined;
  moveAway(file, theirs);
  const second = create(file);
  return second === undefined ? undefined : lockOf(file, second);
}

function lockOf(file: string, mine: string): StartLock {
  return {
    release() {
      if (identityOf(file) === mine) rmSync(file, { force: true });
    },
  };
}

function create(file: string): string | undefined {
  const draft = `${file}.${process.pid}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
  try {
    publish(draft, file);
    return identityOf(file);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw thrown;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Creates the file atomically, since others read it as soon as it exists. */
function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') throw thrown;
    // Some file systems have no hard links; then the copy is complete a moment later.
    copyFileSync(draft, file, constants.COPYFILE_EXCL);
  }
}

/**
 * Moves a stale lock away. One of several processes succeeds; one that caught a new lock instead
 * puts it back.
 */
function moveAway(file: string, stale: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (identityOf(aside) !== stale) linkSync(aside, file);
  } catch {
    // Another process was faster; the next attempt sees the result.
  }
  try {
    rmSync(aside, { force: true });
  } catch {
    // A folder, which is not ours: it is out of the way.
  }
}

/** Identifies a file by inode and mtime, since inode numbers are reused. */
function identityOf(file: string): string | undefined {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.mtimeNs}`;
}

function isStale(file: string, clock: Pick<Clock, 'now'>): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return false;
  const ageMs = clock.now() - stats.mtimeMs;
  // A lock from the future was created before the clock was set back.
  if (ageMs > STALE_AFTER_MS || ageMs < -STALE_AFTER_MS) return true;
  const holder = holderOf(file);
  return holder === undefined ? Math.abs(ageMs) > UNREADABLE_AFTER_MS : !isAlive(holder);
}

/** The process id in the lock file; undefined if it is unreadable or gone. */
function holderOf(file: string): number | undefined {
  try {
    const [, pid] = /^([1-9]\d{0,9})\n$/.exec(readFileSync(file, 'utf8')) ?? [];
    return pid === undefined ? undefined : Number(pid);
  } catch {
    // Removed in the meantime, or not a file: the next attempt sees.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // The process belongs to another user, but it exists.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

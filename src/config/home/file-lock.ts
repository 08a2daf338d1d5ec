import { linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';

const PAUSE_MS = 20;
/**
 * Age at which a lock is stale. A change takes milliseconds, so a holder of five seconds is gone,
 * even if another process has its pid.
 */
const STALE_AFTER_PAUSES = 250;
const GIVE_UP_AFTER_PAUSES = 750;

/**
 * Runs `work` under a lock file shared by all processes: `<path>.lock` holds the pid of the holder.
 * Waiting blocks the process, so this is for commands, not for the daemon. Only tests pass `pause`.
 */
export function withFileLock<T>(path: string, work: () => T, pause = pauseThread): T {
  const lock = `${path}.lock`;
  const mine = acquire(lock, path, pause);
  try {
    return work();
  } finally {
    if (identityOf(lock) === mine) rmSync(lock, { force: true });
  }
}

function acquire(lock: string, path: string, pause: () => void): string {
  let seen: string | undefined;
  let unchanged = 0;
  for (let pauses = 0; pauses < GIVE_UP_AFTER_PAUSES; pauses++) {
    const mine = create(lock);
    if (mine !== undefined) return mine;
    const theirs = identityOf(lock);
    unchanged = theirs === seen ? unchanged + 1 : 0;
    seen = theirs;
    const isStale = unchanged >= STALE_AFTER_PAUSES || !isAlive(holderOf(lock));
    if (theirs !== undefined && isStale) remove(lock, theirs);
    else pause();
  }
  throw new CallError('conflict', `Other processes keep changing ${path}; its lock is ${lock}.`, {
    field: path,
    fixes: [fix('retry'), `If no other exai runs, remove ${lock}.`],
  });
}

/** Takes the lock if it is free, and returns its identity. */
function create(lock: string): string | undefined {
  try {
    writeFileSync(lock, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
    return identityOf(lock);
  } catch (thrown) {
    const reason = CallError.from(thrown);
    if (reason.class === 'conflict') return undefined;
    throw reason;
  }
}

/**
 * Removes a stale lock. Of several processes that find it stale, one moves it away; a process that
 * moved a newer lock instead puts it back.
 */
function remove(lock: string, stale: string): void {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (identityOf(aside) !== stale) linkSync(aside, lock);
  } catch {
    // Another process removed the lock or took it; the next try reads the new state.
  }
  rmSync(aside, { force: true });
}

/**
 * The identity of a lock file. Inode numbers are reused, so it includes the time in nanoseconds.
 */
function identityOf(file: string): string | undefined {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isFile()) return `${stats.ino} ${stats.mtimeNs}`;
  throw new CallError('validation', `${file} is not a lock file of EX-AI.`, {
    field: file,
    fix: 'Remove it, unless another program owns it.',
  });
}

/** The pid of the holder; undefined while the lock is being written, or when it is gone. */
function holderOf(lock: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(lock, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return true;
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // A process of another user cannot be signalled, but it exists.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function pauseThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

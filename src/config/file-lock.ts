import { linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';

const PAUSE_MS = 20;
/** A file is changed in milliseconds: who has held it for five seconds is gone, even if its pid lives on in another. */
const STALE_AFTER_PAUSES = 250;
const GIVE_UP_AFTER_PAUSES = 750;

/**
 * Does the work while no other process does any under the same path: `<path>.lock` holds the pid of whoever works. Waits
 * for its turn, which blocks; so this is for commands, not for the daemon. `pause` is given by tests alone.
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

/** The identity of the lock, if it was free. */
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

/** Of several that find a lock stale, one moves it away. Who got a new one instead, made in between, puts it back. */
function remove(lock: string, stale: string): void {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (identityOf(aside) !== stale) linkSync(aside, lock);
  } catch {
    // Somebody was faster, with the removal or with a new lock; the next try sees how things stand.
  }
  rmSync(aside, { force: true });
}

/** Inode numbers come back; with the time in nanoseconds they do not. */
function identityOf(file: string): string | undefined {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isFile()) return `${stats.ino} ${stats.mtimeNs}`;
  throw new CallError('validation', `${file} is not a lock file of EX-AI.`, {
    field: file,
    fix: 'Remove it, unless another program owns it.',
  });
}

/** Nothing while the lock is being written, or when it is gone. */
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
    // Of another user's process we may not ask, but it is there.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function pauseThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

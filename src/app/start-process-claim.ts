import { linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Clock } from '#core/clock.ts';

export interface StartClaim {
  release(): void;
}

/** A daemon is up long before; whoever claims longer than this was stopped in the middle. */
const STALE_AFTER_MS = 15_000;

/**
 * The right to start the daemon of a home, or nothing while another process has it. It only saves work: two daemons that
 * are started nevertheless are told apart by the lock of the home.
 */
export function claimStart(file: string, clock: Pick<Clock, 'now'>): StartClaim | undefined {
  const mine = create(file);
  if (mine !== undefined) return claimOf(file, mine);
  const theirs = identityOf(file);
  if (theirs === undefined || !isStale(file, clock)) return undefined;
  moveAway(file, theirs);
  const second = create(file);
  return second === undefined ? undefined : claimOf(file, second);
}

function claimOf(file: string, mine: string): StartClaim {
  return {
    release() {
      if (identityOf(file) === mine) rmSync(file, { force: true });
    },
  };
}

function create(file: string): string | undefined {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
    return identityOf(file);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw thrown;
  }
}

/** Of several that find it stale one moves it away; who got a new one instead, made in between, puts it back. */
function moveAway(file: string, stale: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (identityOf(aside) !== stale) linkSync(aside, file);
  } catch {
    // Somebody was faster, with the removal or with a new one; the next try sees how things stand.
  }
  rmSync(aside, { force: true });
}

/** Inode numbers come back; with the time in nanoseconds they do not. */
function identityOf(file: string): string | undefined {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.mtimeNs}`;
}

function isStale(file: string, clock: Pick<Clock, 'now'>): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return false;
  const ageMs = clock.now() - stats.mtimeMs;
  // One from the future was made before the machine's clock was set back.
  return ageMs > STALE_AFTER_MS || ageMs < -STALE_AFTER_MS || !isAlive(holderOf(file));
}

/** Nothing while it is being written, or when it is gone. */
function holderOf(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined;
  } catch {
    // Gone again: the next try sees.
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

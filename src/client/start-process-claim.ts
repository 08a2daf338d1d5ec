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
import type { Clock } from '#core/clock.ts';

export interface StartClaim {
  release(): void;
}

/** Nobody can say whose it is: a claim of ours is never without its holder. */
const NAMELESS_AFTER_MS = 1000;

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

/** Whole from its first moment, since others read it as soon as it is there. */
function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') throw thrown;
    // Some disks know no links; then it is whole a moment later.
    copyFileSync(draft, file, constants.COPYFILE_EXCL);
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
  try {
    rmSync(aside, { force: true });
  } catch {
    // A folder, which is nothing of ours: it is out of the way.
  }
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
  if (ageMs > STALE_AFTER_MS || ageMs < -STALE_AFTER_MS) return true;
  const holder = holderOf(file);
  return holder === undefined ? Math.abs(ageMs) > NAMELESS_AFTER_MS : !isAlive(holder);
}

/** Nothing when it cannot be read, or is gone. */
function holderOf(file: string): number | undefined {
  try {
    const [, pid] = /^([1-9]\d{0,9})\n$/.exec(readFileSync(file, 'utf8')) ?? [];
    return pid === undefined ? undefined : Number(pid);
  } catch {
    // Gone again, or no file at all: the next try sees.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // Of another user's process we may not ask, but it is there.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

import { existsSync } from 'node:fs';
import { every, type Clock, type Timer } from '#core/time/clock.ts';

const WATCH_MS = 5000;

/**
 * Has the socket file of a running daemon made again after it was removed, as clients would
 * not find the daemon. Without its lock another daemon may hold the home, and the file is its own.
 */
export function watchSocketFile(options: {
  readonly path: string;
  readonly isLockIntact: () => boolean;
  readonly reopen: () => Promise<void>;
  readonly clock: Clock;
}): Timer {
  const { path, isLockIntact, reopen, clock } = options;
  return every(clock, WATCH_MS, async () => {
    if (!existsSync(path) && isLockIntact()) await reopen();
  });
}

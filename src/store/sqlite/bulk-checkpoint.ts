import type { Clock, Timer } from '#core/time/clock.ts';
import type { Write } from '../database.ts';
import { contentBytes } from './early-sync.ts';

/** Bulk writes that may wait in the log: copying them takes some tenths of a second. */
const MAX_WAITING_BYTES = 96 * 1024 * 1024;
/** Without bulk writes for so long, the log is copied. */
const IDLE_MS = 500;

/**
 * Decides when bulk writes are copied from the log into the database. The writer thread would do it
 * within a commit, and every other write would wait for it; `checkpoint` does it in another thread.
 */
export function createBulkCheckpoint(clock: Pick<Clock, 'after'>, checkpoint: () => Promise<void>) {
  let waitingBytes = 0;
  let idle: Timer | undefined;
  let isClosed = false;
  let isRunning = false;

  function run(): void {
    if (isClosed || isRunning) return;
    isRunning = true;
    waitingBytes = 0;
    // After a failure the writer copies the log itself, once it is long enough.
    void checkpoint()
      .catch(() => undefined)
      .finally(() => {
        isRunning = false;
      });
  }

  return {
    wrote(write: Pick<Write, 'statements'>): void {
      waitingBytes += contentBytes(write);
      idle?.stop();
      idle = clock.after(IDLE_MS, run);
      if (waitingBytes >= MAX_WAITING_BYTES) run();
    },
    close(): void {
      isClosed = true;
      idle?.stop();
    },
  };
}

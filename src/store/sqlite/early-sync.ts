import { closeSync, fdatasync, openSync } from 'node:fs';
import type { Write } from '../database.ts';

/** Bulk writes after which the disk begins to write them. */
const SYNC_BYTES = 8 * 1024 * 1024;

/** The bytes of the contents in a write. */
export function contentBytes({ statements }: Pick<Write, 'statements'>): number {
  let bytes = 0;
  for (const { params } of statements)
    for (const value of params) if (value instanceof Uint8Array) bytes += value.length;
  return bytes;
}

/**
 * Lets the disk write the log of bulk writes while more of them arrive, so that the commit that
 * makes them durable has little left to wait for. That commit syncs the log in any case: nothing
 * depends on this, and its errors are not needed. Linux alone reports a failed sync to each
 * descriptor of a file, so that the engine gets it, too; elsewhere this does nothing.
 */
export function createEarlySync(file: string, platform: NodeJS.Platform = process.platform) {
  let log: number | undefined;
  let unsynced = 0;
  let state: 'idle' | 'syncing' | 'ending' = 'idle';

  function settled(): void {
    const wasEnding = state === 'ending';
    state = 'idle';
    if (wasEnding) end();
  }

  function end(): void {
    unsynced = 0;
    if (state !== 'idle') state = 'ending';
    else if (log !== undefined) {
      closeSync(log);
      log = undefined;
    }
  }

  return {
    /** After a commit with so many bytes of bulk writes. */
    wrote(bytes: number): void {
      unsynced += bytes;
      if (platform !== 'linux' || unsynced < SYNC_BYTES || state !== 'idle') return;
      try {
        log ??= openSync(`${file}-wal`, 'r');
      } catch {
        return;
      }
      unsynced = 0;
      state = 'syncing';
      fdatasync(log, settled);
    },
    /** Closes the log, when no bulk write is expected. */
    end,
  };
}

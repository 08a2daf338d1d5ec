import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface SmallDisk {
  /** Takes all the space that is left. */
  fill(): void;
  free(): void;
}

const PIECE = Buffer.alloc(65_536, 7);

/** Only root of Linux mounts file systems. */
export const canMountDisks = process.platform === 'linux' && process.getuid?.() === 0;

/** Mounts a file system of that size in memory at a folder, until the test is over. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk {
  const { status, stderr } = spawnSync(
    'mount',
    ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`mount failed: ${stderr}`);
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  const file = join(folder, 'filler');
  return {
    fill() {
      const filler = openSync(file, 'a');
      try {
        for (let bytes = PIECE.length; bytes >= 1; bytes = Math.floor(bytes / 2))
          while (hasRoomFor(filler, bytes));
      } finally {
        closeSync(filler);
      }
    },
    free: () => rmSync(file, { force: true }),
  };
}

function hasRoomFor(filler: number, bytes: number): boolean {
  try {
    return writeSync(filler, PIECE, 0, bytes) === bytes;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw thrown;
  }
}

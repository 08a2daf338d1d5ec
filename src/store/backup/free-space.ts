import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';

/** What the daemon needs beside a copy, so that a backup never fills its disk. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** Refuses a copy for which the disk has too little room, before any of it is written. */
export function requireFreeSpace(file: string, bytes: number): void {
  const { blocks, bavail, bsize } = statfsSync(dirname(file));
  // Some file systems report no sizes.
  if (blocks === 0 || bavail * bsize >= bytes + SPARE_BYTES) return;
  const [needed, free] = [bytes + SPARE_BYTES, bavail * bsize].map(toMebibytes);
  throw new CallError(
    'over_capacity',
    `${file} needs ${needed} MiB, and its disk has ${free} MiB left.`,
    { fix: 'Free some space, or choose another place.' },
  );
}

function toMebibytes(bytes: number): number {
  return Math.ceil(bytes / 1024 ** 2);
}

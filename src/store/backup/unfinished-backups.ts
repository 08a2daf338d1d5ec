import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The temporary file of a backup; the process and the count make it unique. */
export function unfinishedFile(file: string, count: number): string {
  return `${file}.${process.pid}-${count}.part`;
}

const UNFINISHED = /\.(?:jsonl\.gz|db)\.\d+-\d+\.part(?:-journal)?$/;
/** The portable copy that a restore into PostgreSQL reads. */
const RESTORING = /^restoring-\d+\.jsonl\.gz$/;
/** A backup that runs writes all the time. */
const ABANDONED_MS = 3_600_000;

/**
 * Removes what killed backups and migrations left in a folder, and returns how many files. A file
 * that was written within the last hour may belong to a backup that runs.
 */
export function removeAbandonedBackups(folder: string, nowMs: number): number {
  let removed = 0;
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    if (!UNFINISHED.test(name) && !RESTORING.test(name)) continue;
    if (!isOldFile(path, nowMs - ABANDONED_MS)) continue;
    rmSync(path, { force: true });
    removed += 1;
  }
  return removed;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}

function isOldFile(path: string, beforeMs: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.mtimeMs < beforeMs;
}

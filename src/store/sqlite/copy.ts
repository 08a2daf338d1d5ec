import { closeSync, existsSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { every, type Clock } from '#core/time/clock.ts';
import { requireFreeSpace } from '../backup/free-space.ts';
import { alreadyThere, failedToWrite, syncPath } from '../backup/backup-file.ts';
import { unfinishedFile } from '../backup/unfinished-backups.ts';
import { int } from '../tables/columns.ts';
import { checkPages } from './check-pages.ts';
import { openSqlite } from './connection.ts';
import { runSingle } from './run-single.ts';

const PROGRESS_MS = 250;

export interface CopyProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
}

let copies = 0;

/**
 * Copies a database by the engine's `vacuum into`, in a thread: one snapshot, while writers
 * continue. The copy is checked and on disk before it gets its name, and never overwrites.
 * `complete` may add to it.
 */
export async function copySqlite(options: {
  file: string;
  to: string;
  complete?: (copy: string) => void;
  clock?: Clock | undefined;
  onProgress?: ((progress: CopyProgress) => void) | undefined;
}): Promise<void> {
  const { file, to, complete } = options;
  if (existsSync(to)) throw alreadyThere(to);
  const totalBytes = usedBytes(file);
  const made = unfinishedFile(to, ++copies);
  let isOurs = false;
  try {
    requireFreeSpace(made, totalBytes);
    // The engine fills an empty file and keeps its mode.
    closeSync(openSync(made, 'wx', 0o600));
    isOurs = true;
    await watched(options, made, totalBytes, () =>
      runSingle({ file, sql: 'vacuum into ?', params: [made] }),
    );
    complete?.(made);
    await checkPages(made);
    await syncPath(made);
    linkSync(made, to);
    await syncPath(dirname(to));
  } catch (thrown) {
    throw failedToWrite(thrown, to);
  } finally {
    if (isOurs) for (const suffix of ['', '-journal']) rmSync(made + suffix, { force: true });
  }
}

/** The bytes of a database without its free pages. */
function usedBytes(file: string): number {
  const db = openSqlite(file, 'read');
  try {
    const [row = {}] = db.all(
      `select (page_count - freelist_count) * page_size as bytes
        from pragma_page_count, pragma_freelist_count, pragma_page_size`,
    );
    return int(row, 'bytes');
  } finally {
    db.close();
  }
}

async function watched(
  { clock, onProgress }: Pick<Parameters<typeof copySqlite>[0], 'clock' | 'onProgress'>,
  made: string,
  totalBytes: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const report = () => {
    const { size } = statSync(made, { throwIfNoEntry: false }) ?? { size: 0 };
    onProgress?.({ doneBytes: Math.min(size, totalBytes), totalBytes });
  };
  const timer = clock && onProgress ? every(clock, PROGRESS_MS, report) : undefined;
  try {
    await work();
    report();
  } finally {
    timer?.stop();
  }
}

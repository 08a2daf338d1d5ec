import { readdir, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { pathOfAge } from './log-reading.ts';

/** Removes rotated files older than are to be kept, which a larger `keepFiles` left from before. */
export async function removeOlder(path: string, keepFiles: number): Promise<void> {
  const start = `${basename(path)}.`;
  // A file that cannot be removed only takes space; the lines that wait to be written are worth more.
  const names = await readdir(dirname(path)).catch(() => []);
  const ages = names
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length))
    .filter((age) => /^[1-9]\d{0,5}$/.test(age))
    .map(Number)
    .filter((age) => age > keepFiles);
  for (const age of ages) await rm(pathOfAge(path, age), { force: true }).catch(() => {});
}

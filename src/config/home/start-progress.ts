import { rmSync } from 'node:fs';
import type { Home } from './home.ts';
import { readFileIfExists, writePrivateFile } from './private-files.ts';

/** What a daemon does before it answers: it upgrades its store. */
export interface StartProgress {
  readonly pid: number;
  readonly step: 'backup' | 'schema';
  /** Bytes or rows of the backup, or versions of the schema. */
  readonly done: number;
  /** Absent where it is not known. */
  readonly total?: number;
}

/** Other programs read it while they wait for the daemon. */
export function writeStartProgress({ startProgressFile }: Home, progress: StartProgress): void {
  writePrivateFile(startProgressFile, `${JSON.stringify(progress)}\n`);
}

export function removeStartProgress({ startProgressFile }: Home): void {
  rmSync(startProgressFile, { force: true });
}

/** The progress of a daemon that starts now; undefined when none upgrades its store. */
export function readStartProgress({
  startProgressFile,
}: Pick<Home, 'startProgressFile'>): StartProgress | undefined {
  try {
    const { pid, step, done, total } = JSON.parse(
      readFileIfExists(startProgressFile) ?? '{}',
    ) as Partial<StartProgress>;
    if (typeof pid !== 'number' || typeof done !== 'number' || !isAlive(pid)) return undefined;
    if (step !== 'backup' && step !== 'schema') return undefined;
    return { pid, step, done, ...(typeof total === 'number' && { total }) };
  } catch {
    // Not ours, or unreadable: nothing is known.
    return undefined;
  }
}

/** `migrating the store: backup before it, 40 %`. */
export function describeStartProgress({ step, done, total }: StartProgress): string {
  const part = step === 'backup' ? 'saving a backup first' : 'changing its tables';
  if (total === undefined) return `migrating the store (${part}, ${done} rows)`;
  const percent = total === 0 ? 0 : Math.min(99, Math.floor((100 * done) / total));
  return step === 'backup'
    ? `migrating the store (${part}, ${percent} %)`
    : `migrating the store (${part}, step ${done + 1} of ${total})`;
}

/** A daemon that was killed leaves its file behind. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

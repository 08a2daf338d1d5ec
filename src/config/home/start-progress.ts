import { readFileSync, rmSync } from 'node:fs';
import type { Home } from './home.ts';
import { readFirstBytes, writePrivateFile } from './private-files.ts';

const MAX_BYTES = 4096;

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
  const started = startOf(progress.pid);
  writePrivateFile(startProgressFile, `${JSON.stringify({ ...progress, started })}\n`);
}

export function removeStartProgress({ startProgressFile }: Home): void {
  rmSync(startProgressFile, { force: true });
}

/** The progress of a daemon that starts now; undefined when none upgrades its store. */
export function readStartProgress({
  startProgressFile,
}: Pick<Home, 'startProgressFile'>): StartProgress | undefined {
  try {
    const { pid, started, step, done, total } = JSON.parse(
      readFirstBytes(startProgressFile, MAX_BYTES).toString('utf8'),
    ) as Partial<StartProgress & { started: string }>;
    if (typeof pid !== 'number' || !Number.isSafeInteger(done)) return undefined;
    if (step !== 'backup' && step !== 'schema') return undefined;
    if (!isAlive(pid) || startOf(pid) !== started) return undefined;
    return {
      pid,
      step,
      done: Number(done),
      ...(Number.isSafeInteger(total) && { total: Number(total) }),
    };
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

/**
 * When a process started, as the kernel counts it; undefined where the system does not say. After a restart of the machine
 * or of a container another process may have the pid of a killed daemon.
 */
function startOf(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may contain spaces.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[START_FIELD];
  } catch {
    return undefined;
  }
}

/** `starttime`, counted from the field after the name. */
const START_FIELD = 19;

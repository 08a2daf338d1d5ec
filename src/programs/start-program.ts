/**
 * Starts a child process: a file with arguments, never a shell, in its own session and process
 * group. The whole group ends with `stop`, when the program itself has ended, and when this process
 * dies (see group-watcher.ts). On Windows, which has no process groups, `stop` ends the program
 * itself only.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { prepareWatcher, unwatchGroup, watchGroup } from './group-watcher.ts';

export interface ProgramOptions {
  /** An absolute path, as `findProgram` gives it. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment, as `programEnv` makes it. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * How long the group has between SIGTERM and SIGKILL; 0 means SIGKILL at once. Two seconds by
   * default.
   */
  readonly graceMs?: number;
  readonly clock: Clock;
}

export interface ProgramExit {
  /** Null where a signal ended the program. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running program. Output that is not read before it exits is lost. */
export interface RunningProgram {
  readonly pid: number;
  /** Writing to a program that has ended does nothing. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program itself has ended; the rest of its group is ended then. */
  readonly exited: Promise<ProgramExit>;
  /** Ends the whole group: SIGTERM, then SIGKILL. Resolves as `exited` does. */
  stop(): Promise<ProgramExit>;
}

export const DEFAULT_GRACE_MS = 2_000;

const MISSING = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'ENOEXEC']);
const EXHAUSTED = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/**
 * Throws `not_configured` where the file cannot be run, `over_capacity` where the system has no
 * process left, `not_found` where the working directory cannot be entered, or what is wrong with
 * the arguments.
 */
export async function startProgram(options: ProgramOptions): Promise<RunningProgram> {
  const { graceMs = DEFAULT_GRACE_MS, clock } = options;
  prepareWatcher();
  const child = spawnPiped(options);
  const { pid } = child;
  if (pid !== undefined) watchGroup(pid);
  const exited = new Promise<ProgramExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });

  let isEnding = false;
  let isGone = false;
  let timer: Timer | undefined;
  const send = (signal: NodeJS.Signals | 0): boolean => {
    try {
      if (process.platform === 'win32') return child.kill(signal);
      return pid !== undefined && process.kill(-pid, signal);
    } catch {
      // The group is empty.
      return false;
    }
  };
  const kill = () => {
    if (isGone) return;
    isGone = true;
    timer?.stop();
    send('SIGKILL');
    if (pid !== undefined) unwatchGroup(pid);
  };
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    if (graceMs === 0 || !send('SIGTERM')) kill();
    else timer = clock.after(graceMs, kill);
  };
  child.once('exit', () => {
    end();
    if (!send(0)) kill();
  });

  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (thrown) => reject(startFailure(options, thrown)));
  });
  // Ignored: the exit tells why stdin was closed. Set here because without file descriptors the
  // streams do not exist earlier.
  child.stdin.on('error', () => undefined);
  return {
    pid: pid ?? 0,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    stop() {
      end();
      return exited;
    },
  };
}

function spawnPiped(options: ProgramOptions): ChildProcessWithoutNullStreams {
  const { file, args, cwd, env } = options;
  try {
    return spawn(file, args, {
      cwd,
      env,
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
  } catch (thrown) {
    throw startFailure(options, thrown as NodeJS.ErrnoException);
  }
}

/** Why a program could not be started. */
export function startFailure(
  options: Pick<ProgramOptions, 'file' | 'cwd' | 'env'>,
  thrown: NodeJS.ErrnoException,
): CallError {
  const { code = '' } = thrown;
  const { cwd } = options;
  const name = basename(options.file);
  // The system reports a missing working directory as a missing program.
  if (MISSING.has(code) && !canEnter(cwd)) {
    const message = `${name} cannot be started: the folder "${cwd}" is missing or cannot be entered.`;
    return new CallError('not_found', message, { cause: thrown });
  }
  if (MISSING.has(code)) {
    return new CallError('not_configured', `${name} cannot be started (${code}).`, {
      fix: `Check that ${name} is installed and executable.`,
      cause: thrown,
    });
  }
  if (EXHAUSTED.has(code)) {
    const message = `${name} cannot be started: the system has no process, file or memory left.`;
    return new CallError('over_capacity', message, { cause: thrown });
  }
  if (code === 'E2BIG') {
    return new CallError('too_large', `The arguments of ${name} are too long.`, { cause: thrown });
  }
  if (code === 'ERR_INVALID_ARG_VALUE') {
    return new CallError('validation', `${describeNulPlace(options, name)} contains a NUL byte.`);
  }
  return CallError.from(thrown);
}

function canEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

function describeNulPlace(
  { file, cwd, env }: Pick<ProgramOptions, 'file' | 'cwd' | 'env'>,
  name: string,
): string {
  if (file.includes('\0')) return 'The path of the program';
  if (cwd.includes('\0')) return `The working directory of ${name}`;
  const isInEnv = Object.entries(env).some((entry) => entry.join('=').includes('\0'));
  return isInEnv ? `The environment of ${name}` : `An argument of ${name}`;
}

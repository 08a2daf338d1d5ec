import { variable, type Environment } from '#config/environment.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { findProgram, searchFolders } from '#programs/find-program.ts';
import { programEnv } from '#programs/program-env.ts';
import { runProgram } from '#programs/run-program.ts';

export interface ProgramRun {
  /** Null if a signal killed it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `withinMs`: the time limit; default half a minute. */
export type RunProgram = (
  name: string,
  args: readonly string[],
  withinMs?: number,
) => Promise<ProgramRun>;

/** The environment variables that service managers need to be found. Keys are not passed. */
const PASSED = [
  'PATH',
  'HOME',
  'XDG_CONFIG_HOME',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
] as const;
const MAX_BYTES = 64_000;
const WITHIN_MS = 30_000;

/** Runs system programs by name. A missing one is `not_configured`. */
export function programRunner(env: Environment, clock: Clock): RunProgram {
  const folders = searchFolders(variable(env, 'PATH') ?? '');
  const own = programEnv(env, PASSED, { LC_ALL: 'C' });
  return async (name, args, withinMs = WITHIN_MS) => {
    const file = await findProgram({ names: [name], folders });
    if (file === undefined) {
      throw new CallError('not_configured', `There is no ${name} on PATH.`);
    }
    const { code, stdout, stderr } = await runProgram({
      title: name,
      file,
      args,
      cwd: '/',
      env: own,
      timeoutMs: withinMs,
      maxStdoutBytes: MAX_BYTES,
      maxStderrBytes: MAX_BYTES,
      clock,
    });
    return { code, stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') };
  };
}

const MOST_CHARS = 300;

/** The error output of a failed program, in one line. */
export function programFailure(command: string, { code, stderr, stdout }: ProgramRun): CallError {
  const [line = ''] = (stderr.trim() || stdout.trim()).split('\n');
  const output = line.replaceAll(/\p{Cc}/gu, ' ').slice(0, MOST_CHARS);
  const how = code === null ? 'was killed' : `failed with code ${code}`;
  return new CallError('tool_error', `${command} ${how}${output === '' ? '.' : `: ${output}`}`);
}

/** A step that failed, the reason, and the commands that do it. */
export interface ServiceTrouble {
  readonly error: CallError;
  /** To be run in this order. */
  readonly commands: readonly string[];
}

export function formatTrouble({ error, commands }: ServiceTrouble): string {
  const lines = commands.map((each) => `  ${each}\n`).join('');
  return `exai: ${error.message}\nWhat is left to do:\n${lines}`;
}

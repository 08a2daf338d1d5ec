import { variable, type Environment } from '#config/environment.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { findProgram, searchFolders } from '#programs/find-program.ts';
import { programEnv } from '#programs/program-env.ts';
import { runProgram } from '#programs/run-program.ts';

export interface Ran {
  /** Nothing when something killed it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `withinMs`: for one that waits for others; half a minute unless told. */
export type RunProgram = (name: string, args: readonly string[], withinMs?: number) => Promise<Ran>;

/** What a service manager needs of the environment to be found; keys are nothing to it. */
const PASSED = [
  'PATH',
  'HOME',
  'XDG_CONFIG_HOME',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
] as const;
const MAX_BYTES = 64_000;
const WITHIN_MS = 30_000;

/** Runs a program of the system by its name. A missing one is `not_configured`. */
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

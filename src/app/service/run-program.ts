import { spawn } from 'node:child_process';
import { variable, type Environment } from '#config/environment.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';

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
const MOST_CHARS = 64_000;
const WITHIN_MS = 30_000;

/** Runs a program of the system by its name, with arguments and never a shell. A missing one is `not_configured`. */
export function programRunner(env: Environment, clock: Clock): RunProgram {
  const passed = Object.fromEntries(
    PASSED.flatMap((name) => {
      const value = variable(env, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const own = { ...passed, LC_ALL: 'C' };
  return (name, args, withinMs = WITHIN_MS) => run(name, args, own, clock, withinMs);
}

function run(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  clock: Clock,
  withinMs: number,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (stdout.length < MOST_CHARS) stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MOST_CHARS) stderr += text;
    });
    const timer = clock.after(withinMs, () => {
      child.kill('SIGKILL');
      // What it started may hold its pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
      reject(new CallError('timeout', `${name} did not end within ${withinMs / 1000} seconds.`));
    });
    child.once('error', (thrown: NodeJS.ErrnoException) => {
      timer.stop();
      const isMissing = thrown.code === 'ENOENT' || thrown.code === 'EACCES';
      const missing = () => new CallError('not_configured', `There is no ${name} on PATH.`);
      reject(isMissing ? missing() : CallError.from(thrown));
    });
    child.once('close', (code) => {
      timer.stop();
      resolve({ code, stdout, stderr });
    });
  });
}

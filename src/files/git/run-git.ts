import type { Clock } from '#core/clock.ts';
import type { Cancel } from '#core/http.ts';
import { runProgram } from '#programs/run-program.ts';

export interface GitOutput {
  /** Nothing when something killed it. */
  readonly code: number | null;
  /** At most as much as was asked for. */
  readonly stdout: Buffer;
  /** Of what came in all. */
  readonly bytes: number;
  /** `counted`: it was let go on to its end; `stopped`: it said so much that it was ended. */
  readonly rest: 'counted' | 'stopped';
  readonly stderr: string;
}

export interface GitCommand {
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly input?: string | Buffer;
  readonly maxBytes: number;
  readonly signal: Cancel;
  readonly clock: Clock;
}

const TIMEOUT_MS = 30_000;

/**
 * Runs git with arguments. It only reads, so that it can be killed at any moment. Throws the
 * signal's reason, `timeout`, or `not_configured`.
 */
export async function runGit({ maxBytes, ...command }: GitCommand): Promise<GitOutput> {
  const { code, stdout, stdoutBytes, stderr, stopped } = await runProgram({
    ...command,
    title: `git ${command.args[0] ?? ''}`,
    timeoutMs: TIMEOUT_MS,
    graceMs: 0,
    maxStdoutBytes: maxBytes,
  });
  return {
    code,
    stdout,
    bytes: stdoutBytes,
    rest: stopped ? 'stopped' : 'counted',
    stderr: stderr.toString('utf8'),
  };
}

import { spawn } from 'node:child_process';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Cancel } from '#core/http.ts';
import { noGit } from './find-git.ts';

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

const MAX_STDERR_CHARS = 8_000;
/** Beyond its limit an output is only counted, and not for ever. */
const MAX_COUNTED_BYTES = 500_000_000;
const TIMEOUT_MS = 30_000;

/** Runs git with arguments, never a shell. Throws the signal's reason, `timeout`, or `not_configured`. */
export function runGit(command: GitCommand): Promise<GitOutput> {
  const { file, cwd, env, args, input, maxBytes, signal, clock } = command;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(CallError.from(signal.reason));
    const child = spawn(file, args, { cwd, env, stdio: 'pipe', windowsHide: true });
    const chunks: Buffer[] = [];
    let kept = 0;
    let bytes = 0;
    let stderr = '';
    let rest: GitOutput['rest'] = 'counted';

    const end = (thrown: unknown) => {
      settle();
      child.kill('SIGKILL');
      // Its pipes may be held by something that it started.
      child.stdout.destroy();
      child.stderr.destroy();
      reject(CallError.from(thrown));
    };
    const onAbort = () => end(signal.reason);
    const timer = clock.after(TIMEOUT_MS, () => {
      const seconds = TIMEOUT_MS / 1_000;
      end(new CallError('timeout', `git ${args[0] ?? ''} took longer than ${seconds} seconds.`));
    });
    const settle = () => {
      timer.stop();
      signal.removeEventListener('abort', onAbort);
    };
    signal.addEventListener('abort', onAbort, { once: true });

    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      const part = chunk.subarray(0, maxBytes - kept);
      if (part.length > 0) chunks.push(part);
      kept += part.length;
      if (bytes <= MAX_COUNTED_BYTES || rest === 'stopped') return;
      rest = 'stopped';
      child.kill('SIGKILL');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MAX_STDERR_CHARS) stderr += text;
    });
    child.once('error', (thrown: NodeJS.ErrnoException) => {
      end(thrown.code === 'ENOENT' || thrown.code === 'EACCES' ? noGit() : thrown);
    });
    child.once('close', (code) => {
      settle();
      resolve({ code, stdout: Buffer.concat(chunks, kept), bytes, rest, stderr });
    });
    // A child that has gone needs no input: its exit tells why.
    child.stdin.on('error', () => undefined).end(input ?? '');
  });
}

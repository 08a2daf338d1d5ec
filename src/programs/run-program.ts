/** Runs a program to its end, within bounds of time and output. */
import type { Readable } from 'node:stream';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Cancel } from '#core/http.ts';
import { createLineSplitter, type ProgramLine } from './lines.ts';
import {
  DEFAULT_GRACE_MS,
  startProgram,
  type Program,
  type ProgramExit,
  type ProgramOptions,
} from './start-program.ts';

export interface RunOptions extends ProgramOptions {
  /** The program in messages, such as `git diff`. */
  readonly title: string;
  readonly timeoutMs: number;
  readonly signal?: Cancel;
  /** What is written to stdin, which is closed then. Nothing by default. */
  readonly input?: string | Uint8Array;
  /** How much of the output is kept. The rest is counted and dropped. */
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes?: number;
  /** After so much output of both kinds the program is stopped. */
  readonly maxOutputBytes?: number;
  /** Called with each line as it comes. */
  readonly onLine?: (line: ProgramLine, from: 'stdout' | 'stderr') => void;
}

export interface RunOutput extends ProgramExit {
  readonly stdout: Buffer;
  /** Of all that came, kept or not. */
  readonly stdoutBytes: number;
  readonly stderr: Buffer;
  /** Not all of the output was kept. */
  readonly truncated: boolean;
  /** The program was stopped because of `maxOutputBytes`. */
  readonly stopped: boolean;
}

const DEFAULT_MAX_STDERR_BYTES = 8_000;
const DEFAULT_MAX_OUTPUT_BYTES = 500_000_000;
/**
 * A process that waits for a disk cannot be killed: it is not waited for longer than this after
 * SIGKILL.
 */
const GIVE_UP_MS = 1_000;

/**
 * Resolves with whatever exit the program had. Throws the signal's reason or `timeout` once the
 * program has been stopped, and what `startProgram` throws.
 */
export async function runProgram(options: RunOptions): Promise<RunOutput> {
  const { title, timeoutMs, signal, clock, input = '', onLine } = options;
  const graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
  const maxOutputBytes = options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
  if (signal?.aborted) throw CallError.from(signal.reason);
  const program = await startProgram(options);
  let stopped = false;
  let outputBytes = 0;
  const count = (bytes: number) => {
    outputBytes += bytes;
    if (outputBytes <= maxOutputBytes || stopped) return;
    stopped = true;
    void program.stop();
  };
  const read = (from: 'stdout' | 'stderr', maxBytes: number) =>
    collect(program[from], maxBytes, count, onLine && ((line) => onLine(line, from)));
  const stdout = read('stdout', options.maxStdoutBytes);
  const stderr = read('stderr', options.maxStderrBytes ?? DEFAULT_MAX_STDERR_BYTES);
  program.stdin.end(input);

  const interruption = interruptedBy(title, timeoutMs, signal, clock);
  try {
    const whole = Promise.all([program.exited, stdout.closed, stderr.closed]);
    const end = await Promise.race([whole, interruption.promise]);
    if (end instanceof CallError) {
      await stopWithin(program, graceMs + GIVE_UP_MS, clock);
      throw end;
    }
    return {
      ...end[0],
      stdout: stdout.kept(),
      stdoutBytes: stdout.bytes(),
      stderr: stderr.kept(),
      truncated: stdout.isCut() || stderr.isCut(),
      stopped,
    };
  } finally {
    interruption.dispose();
    // A process that left the group may hold them open.
    program.stdout.destroy();
    program.stderr.destroy();
  }
}

async function stopWithin(program: Program, ms: number, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = clock.after(ms, resolve);
    void program.stop().then(() => {
      timer.stop();
      resolve();
    });
  });
}

/** Resolves with the reason when the signal aborts or the time is over. */
function interruptedBy(
  title: string,
  timeoutMs: number,
  signal: Cancel | undefined,
  clock: Clock,
): { readonly promise: Promise<CallError>; dispose(): void } {
  let interrupt: (reason: CallError) => void;
  const promise = new Promise<CallError>((resolve) => {
    interrupt = resolve;
  });
  const onAbort = () => interrupt(CallError.from(signal?.reason));
  const timer = clock.after(timeoutMs, () => {
    const message = `${title} took longer than ${timeoutMs / 1_000} seconds.`;
    interrupt(new CallError('timeout', message));
  });
  // It may have been cancelled while the program was started.
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return {
    promise,
    dispose() {
      timer.stop();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

/** Reads all of a stream, and keeps its beginning. */
function collect(
  stream: Readable,
  maxBytes: number,
  count: (bytes: number) => void,
  onLine: ((line: ProgramLine) => void) | undefined,
) {
  const chunks: Buffer[] = [];
  const splitter = onLine && createLineSplitter();
  let keptBytes = 0;
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    const part = chunk.subarray(0, maxBytes - keptBytes);
    if (part.length > 0) chunks.push(part);
    keptBytes += part.length;
    if (onLine) splitter?.push(chunk).forEach(onLine);
    count(chunk.length);
  });
  const closed = new Promise<void>((resolve) => {
    stream.once('close', () => {
      if (onLine) splitter?.end().forEach(onLine);
      resolve();
    });
  });
  return {
    closed,
    kept: () => Buffer.concat(chunks, keptBytes),
    bytes: () => bytes,
    isCut: () => bytes > keptBytes,
  };
}

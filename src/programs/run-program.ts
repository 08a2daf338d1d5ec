/** Runs a program to its end, with limits of time and output. */
import type { Readable } from 'node:stream';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { createLineSplitter, type ProgramLine } from './program-lines.ts';
import {
  DEFAULT_GRACE_MS,
  startProgram,
  type ProgramExit,
  type ProgramOptions,
} from './start-program.ts';

export interface RunOptions extends ProgramOptions {
  /** The program in messages, such as `git diff`. */
  readonly title: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignalLike;
  /** What is written to stdin, which is closed then. Nothing by default. */
  readonly input?: string | Uint8Array;
  /** How much of the output is kept. The rest is counted and dropped. */
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes?: number;
  /** Total output after which the program is stopped. */
  readonly maxOutputBytes?: number;
  /** Called with each line as it arrives. */
  readonly onLine?: OnLine;
}

/** What it throws stops the program and becomes the error of the run. */
type OnLine = (line: ProgramLine, from: 'stdout' | 'stderr') => void;

export interface RunOutput extends ProgramExit {
  readonly stdout: Buffer;
  /** All bytes of stdout, kept or not. */
  readonly stdoutBytes: number;
  readonly stderr: Buffer;
  /** Not all of the output was kept. */
  readonly truncated: boolean;
  /** The program was stopped because of `maxOutputBytes`. */
  readonly stopped: boolean;
}

const DEFAULT_MAX_STDERR_BYTES = 8_000;
const DEFAULT_MAX_OUTPUT_BYTES = 500_000_000;
/** How long to wait after SIGKILL: a process that waits for a disk cannot be killed. */
const GIVE_UP_MS = 1_000;

/**
 * Resolves with the program's exit, whatever it is. Throws the signal's reason or `timeout` after
 * the program has been stopped, and what `startProgram` throws.
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
  const interruption = interruptedBy(title, timeoutMs, signal, clock);
  const read = (from: 'stdout' | 'stderr', maxBytes: number) =>
    collect(program[from], maxBytes, count, onLine && ((line) => handle(line, from, onLine)));
  const handle = (line: ProgramLine, from: 'stdout' | 'stderr', then: OnLine) => {
    try {
      then(line, from);
    } catch (thrown) {
      interruption.interrupt(CallError.from(thrown));
    }
  };
  const stdout = read('stdout', options.maxStdoutBytes);
  const stderr = read('stderr', options.maxStderrBytes ?? DEFAULT_MAX_STDERR_BYTES);
  program.stdin.end(input);

  try {
    const output = Promise.all([stdout.closed, stderr.closed]);
    let end = await Promise.race([program.exited, interruption.promise]);
    if (!(end instanceof CallError)) {
      // A process that left the group may hold the streams open: what came until now is the output.
      const read = settledWithin(output, graceMs + GIVE_UP_MS, clock);
      end = (await Promise.race([read, interruption.promise])) ?? end;
    }
    if (end instanceof CallError) {
      await settledWithin(program.stop(), graceMs + GIVE_UP_MS, clock);
      throw end;
    }
    return {
      ...end,
      stdout: stdout.kept(),
      stdoutBytes: stdout.bytes(),
      stderr: stderr.kept(),
      truncated: stdout.isCut() || stderr.isCut(),
      stopped,
    };
  } finally {
    interruption.dispose();
    // A process that left the group may keep the streams open.
    program.stdout.destroy();
    program.stderr.destroy();
  }
}

/** Resolves when the promise has settled, or when the time is over. */
function settledWithin(promise: Promise<unknown>, ms: number, clock: Clock): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, () => resolve(undefined));
    void promise.finally(() => {
      timer.stop();
      resolve(undefined);
    });
  });
}

interface Interruption {
  /** Resolves with the reason. */
  readonly promise: Promise<CallError>;
  interrupt(reason: CallError): void;
  dispose(): void;
}

/** Interrupts when the signal aborts or the time is over. */
function interruptedBy(
  title: string,
  timeoutMs: number,
  signal: AbortSignalLike | undefined,
  clock: Clock,
): Interruption {
  let interrupt: (reason: CallError) => void = () => undefined;
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
    interrupt,
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

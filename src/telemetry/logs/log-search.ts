import { Worker } from 'node:worker_threads';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { workerEntry } from '#core/worker-entry.ts';
import type { SearchMessage } from './search-worker.ts';

/** Returns the indexes of the matching lines, ascending, ignoring case. */
type Search = (
  pattern: string,
  lines: readonly string[],
  signal: AbortSignal,
) => Promise<readonly number[]>;

interface SearchOptions {
  readonly clock: Clock;
  /** How long a pattern may run. */
  readonly timeLimitMs?: number;
}

const MAX_PATTERN_CHARS = 256;
const TIME_LIMIT_MS = 1000;
// A thread that has not started by then: the machine is overloaded.
const BEGIN_WITHIN_MS = 15_000;
// Each waiting search holds its lines in memory.
const MAX_WAITING = 8;
const SPECIAL = /[\\^$.*+?()[\]{}|]/;
const FIELD = 'filter';

/**
 * Searches lines by an untrusted pattern. Plain text is matched directly; anything else is a
 * regular expression, which may never end, so it runs in a separate thread, one at a time, with a
 * time limit.
 */
export function createSearch({ clock, timeLimitMs = TIME_LIMIT_MS }: SearchOptions): Search {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  return async (pattern, lines, signal) => {
    if (pattern.length > MAX_PATTERN_CHARS) throw tooLong(pattern.length);
    if (!SPECIAL.test(pattern)) return placesOf(lines, pattern.toLowerCase());
    checkSyntax(pattern);
    if (waiting >= MAX_WAITING) throw tooMany();
    waiting += 1;
    const mine = last.then(() => searchInThread(pattern, lines, signal, clock, timeLimitMs));
    last = mine.catch(() => undefined).then(() => (waiting -= 1));
    return mine;
  };
}

function placesOf(lines: readonly string[], text: string): number[] {
  return [...lines.keys()].filter((at) => lines[at]?.toLowerCase().includes(text));
}

function searchInThread(
  pattern: string,
  lines: readonly string[],
  signal: AbortSignal,
  clock: Clock,
  timeLimitMs: number,
): Promise<number[]> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(CallError.from(signal.reason));
    const worker: Worker = startSearchThread(pattern, lines);
    worker.unref();
    const settle = (act: () => void) => {
      timer.stop();
      signal.removeEventListener('abort', onAbort);
      void worker.terminate();
      act();
    };
    const fail = (error: CallError) => settle(() => reject(error));
    const onAbort = () => fail(CallError.from(signal.reason));
    let timer = clock.after(BEGIN_WITHIN_MS, () => fail(tooMany()));
    signal.addEventListener('abort', onAbort, { once: true });

    worker.on('message', (message: SearchMessage) => {
      if (message.is === 'found') return settle(() => resolve(message.places));
      if (message.is === 'failed') return fail(tooHard('It is too large, or too deep'));
      timer.stop();
      timer = clock.after(timeLimitMs, () =>
        fail(tooHard(`It did not come to an end within ${timeLimitMs} ms`)),
      );
    });
    worker.on('error', (thrown: NodeJS.ErrnoException) =>
      fail(
        thrown.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? tooHard('It needs too much memory')
          : CallError.from(thrown),
      ),
    );
    worker.on('exit', () =>
      fail(new CallError('internal', 'The thread that searched ended without an answer.')),
    );
  });
}

/** Throws for invalid syntax. Only parses; matching is the expensive part. */
function checkSyntax(pattern: string): void {
  try {
    void new RegExp(pattern, 'i');
  } catch (cause) {
    throw new CallError('validation', `"${FIELD}" is not a regular expression.`, {
      field: FIELD,
      fix: 'Put a backslash before each of \\ ^ $ . * + ? ( ) [ ] { } | that stands for itself.',
      cause,
    });
  }
}

function tooLong(chars: number): CallError {
  return new CallError('validation', `"${FIELD}" has ${chars} characters.`, {
    field: FIELD,
    fix: `Use ${MAX_PATTERN_CHARS} at most.`,
  });
}

function tooHard(why: string): CallError {
  return new CallError('validation', `"${FIELD}" cannot be searched for. ${why}.`, {
    field: FIELD,
    fix: 'Use a plain text, or a simpler expression without repetitions inside repetitions.',
  });
}

function tooMany(): CallError {
  return new CallError('over_capacity', 'Too many searches are running.', { retryAfterMs: 1000 });
}

// Enough memory for the lines; a pattern that needs more ends its thread.
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 };

/** Starts a thread for one search; the worker is beside this file. */
function startSearchThread(pattern: string, lines: readonly string[]): Worker {
  const entry = workerEntry('search-worker', import.meta.url);
  const workerData = { pattern, lines };
  return new Worker(entry.file, { workerData, resourceLimits: LIMITS, eval: entry.eval });
}

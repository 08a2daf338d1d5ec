import type { Worker } from 'node:worker_threads';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { startSearchThread } from './search-thread.ts';
import type { SearchMessage } from './search-worker.ts';

/** The places of the lines that match, ascending, in any case of letters. */
export type Search = (
  pattern: string,
  lines: readonly string[],
  signal: AbortSignal,
) => Promise<readonly number[]>;

export interface SearchOptions {
  readonly clock: Clock;
  /** How long a pattern may run. */
  readonly timeLimitMs?: number;
}

const MAX_PATTERN_CHARS = 256;
const TIME_LIMIT_MS = 1000;
// A thread that does not even begin: the machine is swamped.
const BEGIN_WITHIN_MS = 15_000;
// Each holds its lines in memory while it waits.
const MAX_WAITING = 8;
const SPECIAL = /[\\^$.*+?()[\]{}|]/;
const FIELD = 'filter';

/**
 * Searches lines for what a stranger wrote. A plain text is looked for as it is; anything else is a regular expression,
 * which may take for ever, so it runs in a thread of its own, one at a time, and is ended when its time is over.
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

/** Only parses; what is expensive happens when it is first matched. */
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

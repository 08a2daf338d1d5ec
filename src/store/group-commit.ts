import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { createRateLimitedLog } from '#core/telemetry/rate-limited-log.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Row, Write } from './database.ts';

/** The outcome of one write: the rows of each statement, or the error that undid it. */
export type CommitOutcome = { readonly rows: Row[][] } | { readonly error: ErrorJson };

/** Commits writes together and returns an outcome for each; rejects when the outcome is unknown. */
export type CommitBatch = (writes: readonly Write[]) => Promise<readonly CommitOutcome[]>;

const SOON_MS = 50;
const FAILURES_PER_MINUTE = 10;
// Keeps one commit short, so that later writes do not wait long.
const MAX_WRITES_PER_COMMIT = 1024;
// When the disk cannot keep up, lazy writes wait too, so that the queue does not grow without
// limit.
const FAR_BEHIND = 8 * MAX_WRITES_PER_COMMIT;

interface Waiting {
  readonly write: Write;
  /** `now`: a caller waits for the commit. */
  readonly need: 'now' | 'soon';
  readonly done: (outcome: CommitOutcome) => void;
}

/**
 * Group commit: writes that arrive while a commit runs form the next commit, without a timer. Only
 * lazy writes are collected for a while, because a commit costs the disk the same for one row as
 * for a thousand.
 */
export function createGroupCommit(commit: CommitBatch, clock: Clock, log: Log) {
  const queue: Waiting[] = [];
  const whenIdle: (() => void)[] = [];
  let state: 'idle' | 'scheduled' | 'committing' = 'idle';
  let closed = false;
  /** Queued writes that a caller waits for. */
  let waited = 0;
  let soon: Timer | undefined;
  const warn = createRateLimitedLog(log, clock, FAILURES_PER_MINUTE);

  /**
   * Runs at the end of this event loop turn, because callers that were answered together write
   * again together.
   */
  function schedule(): void {
    if (state !== 'idle') return;
    state = 'scheduled';
    setImmediate(() => void run());
  }

  async function run(): Promise<void> {
    soon?.stop();
    soon = undefined;
    const batch = queue.splice(0, MAX_WRITES_PER_COMMIT);
    for (const { need } of batch) if (need === 'now') waited -= 1;
    state = 'committing';
    const outcomes = batch.length === 0 ? [] : await attempt(batch);
    state = 'idle';
    batch.forEach(({ done }, index) => done(outcomes[index] ?? { error: UNKNOWN }));
    next();
    if (queue.length === 0) whenIdle.splice(0).forEach((resolve) => resolve());
  }

  /**
   * Starts the next commit at once when a caller waits for it or the batch is full, else after
   * SOON_MS.
   */
  function next(): void {
    if (queue.length === 0 || state !== 'idle') return;
    if (waited > 0 || closed || queue.length >= MAX_WRITES_PER_COMMIT) schedule();
    else soon ??= clock.after(SOON_MS, schedule);
  }

  function enqueue(waiting: Waiting): void {
    queue.push(waiting);
    if (waiting.need === 'now') waited += 1;
    next();
  }

  /**
   * Logs a failed lazy write, which has no caller to reject. Rate-limited, because a full disk
   * causes thousands a second.
   */
  function note(outcome: CommitOutcome): void {
    if ('error' in outcome) warn('store_write_failed', { error: outcome.error });
  }

  async function attempt(batch: readonly Waiting[]): Promise<readonly CommitOutcome[]> {
    try {
      return await commit(batch.map(({ write }) => write));
    } catch (thrown) {
      const error = CallError.from(thrown).toJSON();
      return batch.map(() => ({ error }));
    }
  }

  return {
    write(write: Write): Promise<Row[][]> {
      if (closed) return Promise.reject(CallError.fromJSON(CLOSED));
      return new Promise((resolve, reject) => {
        const done = (outcome: CommitOutcome) =>
          'rows' in outcome ? resolve(outcome.rows) : reject(CallError.fromJSON(outcome.error));
        enqueue({ write, need: 'now', done });
      });
    },

    /**
     * Joins the next commit, at most 50 ms later; a failure is logged. Returns a promise only when
     * the queue is very long.
     */
    writeLazily(write: Write): Promise<void> | undefined {
      if (closed) {
        note({ error: CLOSED });
        return undefined;
      }
      if (queue.length < FAR_BEHIND) {
        enqueue({ write, need: 'soon', done: note });
        return undefined;
      }
      return new Promise((resolve) => {
        const done = (outcome: CommitOutcome) => {
          note(outcome);
          resolve();
        };
        enqueue({ write, need: 'soon', done });
      });
    },

    /** Accepts no more writes; resolves when all accepted ones are settled. */
    close(): Promise<void> {
      closed = true;
      return new Promise((resolve) => {
        whenIdle.push(resolve);
        schedule();
      });
    },
  };
}

const CLOSED = new CallError('interrupted', 'The store is closing; nothing was written.').toJSON();
const UNKNOWN = new CallError('internal', 'The store gave no outcome for a write.').toJSON();

/**
 * Whether the write itself is at fault, and not the disk or the server, which would fail all
 * writes.
 */
export function isStatementError(error: CallError): boolean {
  return error.class === 'conflict' || error.class === 'not_found' || error.class === 'validation';
}

import { CallError, type ErrorJson } from '#core/call-error.ts';
import type { Clock, Timer } from '#core/clock.ts';
import { sparingWarn } from '#core/sparing.ts';
import type { Log } from '#core/telemetry.ts';
import type { Row, Write } from './database.ts';

/** What became of one write: the rows each statement returned, or why it was undone. */
export type Outcome = { readonly rows: Row[][] } | { readonly error: ErrorJson };

/** Commits writes together; gives an outcome for each, or rejects when it cannot tell. */
export type Commit = (writes: readonly Write[]) => Promise<readonly Outcome[]>;

const SOON_MS = 50;
const FAILURES_PER_MINUTE = 10;
// Keeps one commit short enough that nobody behind it waits long.
const MAX_WRITES_PER_COMMIT = 1024;
// On a disk that cannot keep up, those who would not wait do, or the queue would grow for as long as they come.
const FAR_BEHIND = 8 * MAX_WRITES_PER_COMMIT;

interface Waiting {
  readonly write: Write;
  /** Whether somebody waits for the commit. */
  readonly need: 'now' | 'soon';
  readonly done: (outcome: Outcome) => void;
}

/**
 * Group commit: what arrives while a commit runs is the next commit, without a timer. Only what nobody waits for is
 * gathered a while: a commit costs the disk the same for one row as for a thousand.
 */
export function createGroupCommit(commit: Commit, clock: Clock, log: Log) {
  const queue: Waiting[] = [];
  const whenIdle: (() => void)[] = [];
  let state: 'idle' | 'scheduled' | 'committing' = 'idle';
  let closed = false;
  /** Writes in the queue that somebody waits for. */
  let waited = 0;
  let soon: Timer | undefined;
  const warn = sparingWarn(log, clock, FAILURES_PER_MINUTE);

  /** At the end of this turn of the event loop: callers that are answered together ask again together. */
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

  /** The next commit begins at once when somebody waits for it or a whole one is there, else a little later. */
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

  /** Nobody waits for these, so nobody can be told but the log; on a full disk there may be thousands a second. */
  function note(outcome: Outcome): void {
    if ('error' in outcome) warn('store_write_failed', { error: outcome.error });
  }

  async function attempt(batch: readonly Waiting[]): Promise<readonly Outcome[]> {
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
        const done = (outcome: Outcome) =>
          'rows' in outcome ? resolve(outcome.rows) : reject(CallError.fromJSON(outcome.error));
        enqueue({ write, need: 'now', done });
      });
    },

    /** Joins the next commit, at most 50 ms later; a failure goes to the log. Something to wait for when far behind. */
    writeSoon(write: Write): Promise<void> | undefined {
      if (closed) {
        note({ error: CLOSED });
        return undefined;
      }
      if (queue.length < FAR_BEHIND) {
        enqueue({ write, need: 'soon', done: note });
        return undefined;
      }
      return new Promise((resolve) => {
        const done = (outcome: Outcome) => {
          note(outcome);
          resolve();
        };
        enqueue({ write, need: 'soon', done });
      });
    },

    /** Takes no more; resolves when all that was accepted is answered. */
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

/** Did the write itself ask for something impossible, as opposed to the disk or the server failing under all of them? */
export function isOwnFault(error: CallError): boolean {
  return error.class === 'conflict' || error.class === 'not_found' || error.class === 'validation';
}

import type { Worker } from 'node:worker_threads';
import { CallError } from '#core/call-error.ts';
import type { Clock, Timer } from '#core/clock.ts';
import type { Log } from '#core/telemetry.ts';
import { storable, type Row, type Write } from './database.ts';
import type { Outcome } from './sqlite-commit.ts';
import { startWorker } from './worker-thread.ts';

const SOON_MS = 50;
// Keeps one commit short enough that nobody behind it waits long.
const MAX_WRITES_PER_COMMIT = 1024;

interface Waiting {
  readonly write: Write;
  readonly done: (outcome: Outcome) => void;
}

/** Group commit without a timer: what arrives while a commit runs is the next commit. */
export function createSqliteWriter(options: {
  file: string;
  writerId: string;
  clock: Clock;
  log: Log;
}) {
  const { file, writerId, clock, log } = options;
  const queue: Waiting[] = [];
  let committing: Waiting[] = [];
  let soon: Timer | undefined;
  let worker: Worker | undefined;
  let scheduled = false;
  const whenIdle: (() => void)[] = [];

  /** At the end of this turn of the event loop: callers that are answered together ask again together. */
  function schedule(): void {
    if (scheduled || committing.length > 0) return;
    scheduled = true;
    setImmediate(pump);
  }

  function pump(): void {
    scheduled = false;
    if (committing.length > 0) return;
    soon?.stop();
    soon = undefined;
    if (queue.length === 0) return whenIdle.splice(0).forEach((resolve) => resolve());
    committing = queue.splice(0, MAX_WRITES_PER_COMMIT);
    worker ??= start();
    worker.postMessage(committing.map(({ write }) => write));
  }

  function settle(outcomes: (index: number) => Outcome): void {
    const settled = committing;
    committing = [];
    settled.forEach(({ done }, index) => done(outcomes(index)));
    schedule();
  }

  function start(): Worker {
    const started = startWorker('sqlite-writer-worker', { file, writerId });
    started.on('message', (outcomes: Outcome[]) =>
      settle((index) => outcomes[index] ?? { error: LOST_WRITER }),
    );
    const onDeath = (cause: unknown) => {
      if (worker !== started) return;
      worker = undefined;
      log.error('store_writer_died', { cause });
      settle(() => ({ error: cause instanceof CallError ? cause.toJSON() : LOST_WRITER }));
    };
    started.on('error', onDeath);
    started.on('exit', onDeath);
    return started;
  }

  return {
    write(write: Write): Promise<Row[][]> {
      return new Promise((resolve, reject) => {
        const done = (outcome: Outcome) =>
          'rows' in outcome
            ? resolve(outcome.rows as Row[][])
            : reject(CallError.fromJSON(outcome.error));
        queue.push({ write: toStorable(write), done });
        schedule();
      });
    },
    writeSoon(write: Write): void {
      const done = (outcome: Outcome) => {
        if ('error' in outcome) log.error('store_write_failed', { error: outcome.error });
      };
      queue.push({ write: toStorable(write), done });
      if (committing.length === 0) soon ??= clock.after(SOON_MS, schedule);
    },
    /** Resolves when everything accepted so far has been answered and the database is closed. */
    async close(): Promise<void> {
      await new Promise<void>((resolve) => {
        whenIdle.push(resolve);
        schedule();
      });
      const last = worker;
      worker = undefined;
      if (!last) return;
      await new Promise((resolve) => {
        last.once('exit', resolve);
        last.postMessage('close');
      });
    },
  };
}

const LOST_WRITER = new CallError(
  'interrupted',
  'The writer of the store stopped before it could answer; the write may or may not be there.',
).toJSON();

function toStorable(write: Write): Write {
  return {
    statements: write.statements.map((statement) => ({
      ...statement,
      params: statement.params.map(storable),
    })),
    ...(write.audit && { audit: write.audit.map((row) => row.map(storable)) }),
  };
}

import type { Worker } from 'node:worker_threads';
import { CallError, type ErrorJson } from '#core/call-error.ts';
import type { Clock, Timer } from '#core/clock.ts';
import type { Query, Row } from './database.ts';
import type { ScanRequest } from './sqlite-reader-worker.ts';
import { startWorker } from './worker-thread.ts';

const IDLE_MS = 60_000;

type Answer = { id: number; rows: Row[] } | { id: number; error: ErrorJson };

/** Long reads in a thread that starts with the first and goes away when none came for a minute. */
export function createSqliteReader(file: string, clock: Clock) {
  const waiting = new Map<number, (answer: Answer) => void>();
  let worker: Worker | undefined;
  let idle: Timer | undefined;
  let lastId = 0;
  let closed = false;

  function start(): Worker {
    const started = startWorker('sqlite-reader-worker', { file });
    started.unref();
    started.on('message', (answer: Answer) => {
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
      if (waiting.size === 0) idle = clock.after(IDLE_MS, () => void stop());
    });
    // Its end follows an error, and a stop: whoever still waits is told.
    started.on('error', (thrown) => fail(CallError.from(thrown)));
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      // One that was idle too long left nobody waiting; by now a successor may have its own.
      else if (!closed) return;
      fail(new CallError('interrupted', 'The store was closed before it could answer.'));
    });
    return started;
  }

  function fail(reason: CallError): void {
    const error = reason.toJSON();
    for (const [id, answer] of waiting) answer({ id, error });
    waiting.clear();
  }

  async function stop(): Promise<void> {
    idle?.stop();
    const last = worker;
    worker = undefined;
    await last?.terminate();
  }

  const scan: Query = (sql, params = []) =>
    new Promise((resolve, reject) => {
      if (closed) throw new CallError('interrupted', 'The store is closed.');
      idle?.stop();
      worker ??= start();
      const request: ScanRequest = { id: ++lastId, sql, params };
      waiting.set(request.id, (answer) =>
        'rows' in answer ? resolve(answer.rows) : reject(CallError.fromJSON(answer.error)),
      );
      worker.postMessage(request);
    });

  return {
    scan,
    close(): Promise<void> {
      closed = true;
      return stop();
    },
  };
}

import type { Worker } from 'node:worker_threads';
import { CallError } from '#core/errors/call-error.ts';
import type { StoreDamage } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import type { CheckReply, CheckRequest } from './sqlite-check-worker.ts';
import { startWorker } from './start-worker.ts';

/** After each table the check rests for as long as the table took, so that it takes half of a disk at most. */
const MAX_REST_MS = 10_000;

export interface Integrity {
  /** Passes the outcome of a read on, and remembers that it met a damaged page. */
  noting<T>(work: Promise<T>): Promise<T>;
  /** What is known to be damaged. */
  damage(): StoreDamage | undefined;
  /** Checks the pages of every table, one table after another; each has its own read transaction. */
  check(): Promise<StoreDamage | undefined>;
  close(): Promise<void>;
}

/** Finds damaged pages before a call reads them. Writers continue meanwhile. */
export function createIntegrity(
  file: string,
  {
    clock,
    log,
    requireInPlace,
  }: { readonly clock: Clock; readonly log: Log; readonly requireInPlace: () => void },
): Integrity {
  let damage: StoreDamage | undefined;
  let running: Promise<StoreDamage | undefined> | undefined;
  let worker: Worker | undefined;
  const closing = new AbortController();

  function found(tables: readonly string[], detail: string): void {
    const known = damage?.tables ?? [];
    const added = tables.filter((table) => !known.includes(table));
    if (damage && added.length === 0) return;
    damage = { tables: [...known, ...added], foundAt: damage?.foundAt ?? clock.now() };
    log.error('store_damaged', { file, tables: damage.tables, detail });
  }

  async function run(): Promise<StoreDamage | undefined> {
    try {
      requireInPlace();
    } catch (thrown) {
      log.warn('store_not_checked', { error: CallError.from(thrown).toJSON() });
      throw thrown;
    }
    const checker = (worker = startWorker('sqlite-check-worker', { file }));
    checker.unref();
    const beganMs = clock.monotonic();
    try {
      const listed = await ask(checker, 'tables');
      if ('error' in listed) throw CallError.fromJSON(listed.error);
      const tables = 'tables' in listed ? listed.tables : [];
      const damaged: string[] = [];
      for (const table of ['sqlite_schema', ...tables]) {
        const startMs = clock.monotonic();
        const detail = problemIn(await ask(checker, { table }));
        if (detail !== undefined) {
          damaged.push(table);
          found([table], detail);
        }
        if (closing.signal.aborted) return damage;
        await sleep(clock, Math.min(MAX_REST_MS, clock.monotonic() - startMs), closing.signal);
      }
      if (damaged.length === 0) damage = undefined;
      const ms = Math.round(clock.monotonic() - beganMs);
      log.info('store_checked', { tables: tables.length, damaged: damaged.length, elapsed_ms: ms });
    } catch (thrown) {
      note(thrown);
      if (!closing.signal.aborted)
        log.warn('store_not_checked', { error: CallError.from(thrown).toJSON() });
    } finally {
      worker = undefined;
      await checker.terminate();
    }
    return damage;
  }

  function note(thrown: unknown): void {
    const { reason, message } = CallError.from(thrown);
    if (reason?.code === 'damaged_database' && !damage) found([], message);
  }

  return {
    async noting(work) {
      try {
        return await work;
      } catch (thrown) {
        note(thrown);
        throw thrown;
      }
    },
    damage: () => damage,
    check: () => (running ??= run().finally(() => (running = undefined))),
    async close() {
      closing.abort();
      await worker?.terminate();
      await running?.catch(() => undefined);
    },
  };
}

function problemIn(reply: CheckReply): string | undefined {
  if ('error' in reply) {
    const error = CallError.fromJSON(reply.error);
    if (error.reason?.code === 'damaged_database') return error.message;
    throw error;
  }
  return 'verdict' in reply && reply.verdict !== 'ok' ? reply.verdict : undefined;
}

function ask(worker: Worker, request: CheckRequest): Promise<CheckReply> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new CallError('interrupted', 'The check of the store was stopped.'));
    const failed = (thrown: unknown) => reject(CallError.from(thrown));
    worker.once('exit', ended);
    worker.once('error', failed);
    worker.once('message', (reply: CheckReply) => {
      worker.off('exit', ended);
      worker.off('error', failed);
      resolve(reply);
    });
    worker.postMessage(request);
  });
}

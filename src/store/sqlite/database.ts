import type { Worker } from 'node:worker_threads';
import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { ChainWriter } from '../audit/chain.ts';
import type { Database, Query, Row } from '../database.ts';
import { boundCommit } from '../bounded-commit.ts';
import { createGroupCommit, type CommitBatch } from '../group-commit.ts';
import { openSqlite, type SqliteConnection } from './connection.ts';
import type { ScanRequest } from './sqlite-reader-worker.ts';
import { startWorker } from './start-worker.ts';
import { trackWriteHealth } from '../write-health.ts';
import { fileGoneError, fileIdentity, watchIdentity } from './file-identity.ts';
import { createIntegrity } from './integrity.ts';
import { createBulkCheckpoint } from './bulk-checkpoint.ts';
import { CHECKPOINTED, CLOSE, fromReply, toRequest, type WriterReply } from './writer-protocol.ts';

/**
 * The SQLite database: a writer thread, a connection for quick reads, and a reader thread for long
 * ones. The file must be migrated.
 */
export function createSqliteDatabase(options: {
  file: string;
  writer: ChainWriter;
  clock: Clock;
  log: Log;
  /** How long a commit may take; default: 8 seconds. */
  writeMs?: number | undefined;
}): Database {
  const { file } = options;
  const quick = openSqlite(file, 'read');
  const opened = fileIdentity(file);
  /** Before another connection opens what is there now: an empty file would cost the log. */
  const requireInPlace = () => {
    if (fileIdentity(file) !== opened) throw fileGoneError(file);
  };
  const reader = createSqliteReader(file, { clock: options.clock, requireInPlace });
  const checkpoint = createBulkCheckpoint(options.clock, async () => {
    await reader.scan('pragma wal_checkpoint(passive)');
    writer.checkpointed();
  });
  const integrity = createIntegrity(file, { ...options, requireInPlace });
  const isInPlace = watchIdentity(file, opened);
  const writer = createSqliteWriter({ ...options, opened, requireInPlace });
  const watch = trackWriteHealth(
    (write) => writer.write(write),
    () => {
      if (!isInPlace()) throw fileGoneError(file);
    },
  );

  return {
    dialect: 'sqlite',
    read: (sql, params) => integrity.noting(Promise.resolve().then(() => quick.all(sql, params))),
    scan: (sql, params) => integrity.noting(reader.scan(sql, params)),
    write(write) {
      if (write.bulk === true) checkpoint.wrote(write);
      return integrity.noting(watch.writing(writer.write(write)));
    },
    writeLazily: (write) => writer.writeLazily(write),
    async snapshot(work) {
      requireInPlace();
      return snapshotSqlite(file, work);
    },
    health: () => watch.health(),
    failure: () => watch.failure(),
    damage: () => integrity.damage(),
    checkPages: () => integrity.check(),
    async close() {
      checkpoint.close();
      await integrity.close();
      await writer.close();
      await reader.close();
      quick.close();
    },
  };
}

/** Runs `work` in a read transaction on a separate connection; writers continue. */
export async function snapshotSqlite<T>(
  file: string,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const view = openSqlite(file, 'read');
  try {
    view.exec('begin');
    return await work(async (sql, params) => view.all(sql, params));
  } finally {
    view.close();
  }
}

/** A connection as a query function, for migrations and backups. */
export function sqliteQuery(db: SqliteConnection): Query {
  return async (sql, params) => {
    if (READS.test(sql)) return db.all(sql, params);
    db.run(sql, params);
    return [];
  };
}

const READS = /^\s*select\b|\breturning\b/;

const IDLE_MS = 60_000;

type Answer = { id: number; rows: Row[] } | { id: number; error: ErrorJson };

/** Long reads in a thread that starts with the first one and ends after a minute without any. */
function createSqliteReader(
  file: string,
  { clock, requireInPlace }: { readonly clock: Clock; readonly requireInPlace: () => void },
) {
  const waiting = new Map<number, (answer: Answer) => void>();
  let worker: Worker | undefined;
  let idle: Timer | undefined;
  let lastId = 0;
  let closed = false;

  function start(): Worker {
    requireInPlace();
    const started = startWorker('sqlite-reader-worker', { file });
    started.unref();
    started.on('message', (answer: Answer) => {
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
      if (waiting.size === 0) idle = clock.after(IDLE_MS, () => void stop());
    });
    // The thread exits after an error or a stop: pending reads are rejected.
    started.on('error', (thrown) => fail(CallError.from(thrown)));
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      // A thread that ended idle had no pending reads; a newer thread may have some.
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

/** Sends each batch of writes to the writer thread; if it dies, the next batch starts a new one. */
function createSqliteWriter(options: {
  file: string;
  opened: string | undefined;
  requireInPlace: () => void;
  writer: ChainWriter;
  clock: Clock;
  log: Log;
  writeMs?: number | undefined;
}) {
  const { file, opened, requireInPlace, writer, clock, log, writeMs } = options;
  let worker: Worker | undefined;
  let waiting: { resolve(reply: WriterReply): void; reject(error: CallError): void } | undefined;

  function start(): Worker {
    requireInPlace();
    const started = startWorker('sqlite-writer-worker', { file, opened, writer });
    const onDeath = (cause: unknown) => {
      if (worker !== started) return;
      worker = undefined;
      log.error('store_writer_died', { cause });
      waiting?.reject(diedWhileWriting());
    };
    started.on('message', (reply: WriterReply) => waiting?.resolve(reply));
    started.on('error', onDeath);
    started.on('exit', onDeath);
    return started;
  }

  const send: CommitBatch = async (writes) => {
    const reply = await new Promise<WriterReply>((resolve, reject) => {
      waiting = { resolve, reject };
      worker ??= start();
      worker.postMessage(toRequest(writes));
    });
    return fromReply(reply, writes.length);
  };

  const commit = boundCommit(send, { clock, commitMs: writeMs, silent: () => silentDisk(file) });
  const group = createGroupCommit(commit, clock, log);
  return {
    ...group,
    checkpointed(): void {
      worker?.postMessage(CHECKPOINTED);
    },
    async close(): Promise<void> {
      await group.close();
      const last = worker;
      worker = undefined;
      if (!last) return;
      await new Promise((resolve) => {
        last.once('exit', resolve);
        last.postMessage(CLOSE);
      });
    },
  };
}

function silentDisk(file: string): CallError {
  return new CallError('over_capacity', `The disk does not answer under ${file}.`, {
    fix: 'Check the disk, and whether another program holds the file; what was being written may be there.',
  });
}

function diedWhileWriting(): CallError {
  return new CallError(
    'interrupted',
    'The writer of the store stopped before it could answer; the write may or may not be there.',
  );
}

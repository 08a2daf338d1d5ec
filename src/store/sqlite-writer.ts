import type { Worker } from 'node:worker_threads';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/telemetry.ts';
import type { ChainWriter } from './audit-chain.ts';
import { createGroupCommit, type Commit } from './group-commit.ts';
import { startWorker } from './worker-thread.ts';
import { CLOSE, fromReply, toRequest, type WriterReply } from './writer-wire.ts';

/** Hands each batch of writes to the one thread that writes; a thread that dies is replaced by the next batch. */
export function createSqliteWriter(options: {
  file: string;
  writer: ChainWriter;
  clock: Clock;
  log: Log;
}) {
  const { file, writer, clock, log } = options;
  let worker: Worker | undefined;
  let waiting: { resolve(reply: WriterReply): void; reject(error: CallError): void } | undefined;

  function start(): Worker {
    const started = startWorker('sqlite-writer-worker', { file, writer });
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

  const commit: Commit = async (writes) => {
    const reply = await new Promise<WriterReply>((resolve, reject) => {
      waiting = { resolve, reject };
      worker ??= start();
      worker.postMessage(toRequest(writes));
    });
    return fromReply(reply, writes.length);
  };

  const group = createGroupCommit(commit, clock, log);
  return {
    ...group,
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

function diedWhileWriting(): CallError {
  return new CallError(
    'interrupted',
    'The writer of the store stopped before it could answer; the write may or may not be there.',
  );
}

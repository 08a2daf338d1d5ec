import { parentPort, workerData } from 'node:worker_threads';
import type { ChainWriter } from './audit-chain.ts';
import { createCommit } from './sqlite-commit.ts';
import { openSqlite } from './sqlite-connection.ts';
import { CLOSE, fromRequest, toReply, type WriterRequest } from './writer-wire.ts';

/** The only thread that writes: it commits what it is sent, answers, and waits for the next. */
const { file, writer } = workerData as { file: string; writer: ChainWriter };
const db = openSqlite(file, 'write');
const commit = createCommit(db, writer);

parentPort?.on('message', (request: WriterRequest) => {
  if (request !== CLOSE) return parentPort?.postMessage(toReply(commit(fromRequest(request))));
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  parentPort?.close();
});

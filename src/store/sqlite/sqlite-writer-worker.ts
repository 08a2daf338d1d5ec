import { parentPort, workerData } from 'node:worker_threads';
import type { ChainWriter } from '../audit/chain.ts';
import { createSqliteCommit } from './commit.ts';
import { openSqlite } from './connection.ts';
import { CLOSE, fromRequest, toReply, type WriterRequest } from './writer-protocol.ts';

/** The writer thread, the only one that writes: it commits each batch it receives and replies. */
const { file, writer } = workerData as { file: string; writer: ChainWriter };
const db = openSqlite(file, 'write');
const commit = createSqliteCommit(db, writer);

parentPort?.on('message', (request: WriterRequest) => {
  if (request !== CLOSE) return parentPort?.postMessage(toReply(commit(fromRequest(request))));
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  parentPort?.close();
});

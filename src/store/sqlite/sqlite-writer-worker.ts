import { parentPort, workerData } from 'node:worker_threads';
import type { ChainWriter } from '../audit/chain.ts';
import { openHeadFile } from '../audit/head-file.ts';
import { createSqliteCommit } from './commit.ts';
import { openSqlite } from './connection.ts';
import { contentBytes, createEarlySync } from './early-sync.ts';
import { fileGoneError, watchIdentity } from './file-identity.ts';
import {
  CHECKPOINTED,
  CLOSE,
  fromRequest,
  toReply,
  type WriterRequest,
} from './writer-protocol.ts';

/** Pages of the log after which a commit copies them into the database itself: 4 MB. */
const CHECKPOINT_PAGES = 1000;
/** The same while bulk writes are copied by another thread: 160 MiB. */
const BULK_CHECKPOINT_PAGES = 40_960;

/** The writer thread, the only one that writes: it commits each batch it receives and replies. */
const { file, opened, writer } = workerData as {
  file: string;
  /** The identity of the file that this daemon opened first. */
  opened: string | undefined;
  writer: ChainWriter;
};
const db = openSqlite(file, 'write');
const heads =
  writer.headFile === undefined ? undefined : openHeadFile(writer.headFile, writer.writerId);
const commit = createSqliteCommit(db, writer, heads);
const isInPlace = watchIdentity(file, opened);
const setCheckpoint = (pages: number) => db.exec(`pragma wal_autocheckpoint = ${pages}`);
const early = createEarlySync(file);
let isBulk = false;

function refused() {
  return { error: fileGoneError(file).toJSON() };
}

function run(request: Exclude<WriterRequest, typeof CHECKPOINTED | typeof CLOSE>): void {
  const writes = fromRequest(request);
  const bulk = writes.filter((write) => write.bulk === true);
  if (!isBulk && bulk.length > 0) {
    isBulk = true;
    setCheckpoint(BULK_CHECKPOINT_PAGES);
  }
  const outcomes = commit(writes);
  if (bulk.length > 0) early.wrote(bulk.reduce((sum, each) => sum + contentBytes(each), 0));
  // After the commit: a file that is gone now may have been gone before it.
  parentPort?.postMessage(toReply(isInPlace() ? outcomes : outcomes.map(refused)));
}

parentPort?.on('message', (request: WriterRequest) => {
  if (request === CHECKPOINTED) {
    isBulk = false;
    early.end();
    return setCheckpoint(CHECKPOINT_PAGES);
  }
  if (request !== CLOSE) return run(request);
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  early.end();
  heads?.close();
  parentPort?.close();
});

import { parentPort, workerData } from 'node:worker_threads';
import { CallError } from '#core/errors/call-error.ts';
import type { Cell } from '../database.ts';
import { openSqlite } from './connection.ts';

/**
 * The reader thread. It runs long queries, so that they do not block the thread that answers calls.
 */
const { file } = workerData as { file: string };
const db = openSqlite(file, 'read');

export interface ScanRequest {
  readonly id: number;
  readonly sql: string;
  readonly params: readonly Cell[];
}

parentPort?.on('message', ({ id, sql, params }: ScanRequest) => {
  try {
    parentPort?.postMessage({ id, rows: db.all(sql, params) });
  } catch (thrown) {
    parentPort?.postMessage({ id, error: CallError.from(thrown).toJSON() });
  }
});

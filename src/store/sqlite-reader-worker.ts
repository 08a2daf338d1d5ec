import { parentPort, workerData } from 'node:worker_threads';
import { CallError } from '#core/call-error.ts';
import type { Value } from './database.ts';
import { openSqlite } from './sqlite-connection.ts';

/** Long reads happen here, so that they never hold up the thread that answers calls. */
const { file } = workerData as { file: string };
const db = openSqlite(file, 'read');

export interface ScanRequest {
  readonly id: number;
  readonly sql: string;
  readonly params: readonly Value[];
}

parentPort?.on('message', ({ id, sql, params }: ScanRequest) => {
  try {
    parentPort?.postMessage({ id, rows: db.all(sql, params) });
  } catch (thrown) {
    parentPort?.postMessage({ id, error: CallError.from(thrown).toJSON() });
  }
});

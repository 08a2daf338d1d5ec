import { parentPort, workerData } from 'node:worker_threads';
import { CallError } from '#core/errors/call-error.ts';
import { openSqlite } from './connection.ts';
import type { SingleTask } from './run-single.ts';

/** A thread for one long statement, with its own connection. */
const { file, sql, params } = workerData as SingleTask;

function run(): unknown {
  try {
    const db = openSqlite(file, 'copy');
    try {
      return { rows: db.all(sql, params) };
    } finally {
      db.close();
    }
  } catch (thrown) {
    return { error: CallError.from(thrown).toJSON() };
  }
}

parentPort?.postMessage(run());

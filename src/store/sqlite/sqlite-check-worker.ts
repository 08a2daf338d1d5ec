import { parentPort, workerData } from 'node:worker_threads';
import { CallError } from '#core/errors/call-error.ts';
import { text } from '../tables/columns.ts';
import { openSqlite } from './connection.ts';

/** The thread that checks the pages of one table after another, as it is told to. */
const { file } = workerData as { file: string };

export type CheckRequest = 'tables' | { readonly table: string };
export type CheckReply =
  | { readonly tables: readonly string[] }
  | { readonly verdict: string }
  | { readonly error: ReturnType<CallError['toJSON']> };

const db = openSqlite(file, 'read');

function answer(request: CheckRequest): CheckReply {
  try {
    if (request === 'tables') {
      // Virtual tables have no pages; the tables behind them do.
      const rows = db.all(`select name from sqlite_master where type = 'table' and rootpage > 0`);
      return { tables: rows.map((row) => text(row, 'name')) };
    }
    const name = request.table.replaceAll("'", "''");
    const [row] = db.all(`select quick_check from pragma_quick_check('${name}')`);
    return { verdict: row ? text(row, 'quick_check') : 'ok' };
  } catch (thrown) {
    return { error: CallError.from(thrown).toJSON() };
  }
}

parentPort?.on('message', (request: CheckRequest) => parentPort?.postMessage(answer(request)));

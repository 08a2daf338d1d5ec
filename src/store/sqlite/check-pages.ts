import { text } from '../tables/columns.ts';
import { damagedDatabaseError } from './connection.ts';
import { runSingle } from './run-single.ts';

/** Checks every page of a database, in a thread; throws for one that is damaged. */
export async function checkPages(file: string): Promise<void> {
  const [row] = await runSingle({
    file,
    sql: 'select quick_check from pragma_quick_check(1)',
    params: [],
  });
  const verdict = row && text(row, 'quick_check');
  if (verdict !== 'ok') throw damagedDatabaseError(file, verdict);
}

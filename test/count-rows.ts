import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { queryOnce } from './query-once.ts';
import type { StoreHome } from './stores.ts';

/** The number of rows of a table, counted beside the store. */
export async function countRows(
  home: Pick<StoreHome, 'database' | 'dataDir'>,
  table: string,
): Promise<number> {
  const sql = `select count(*) as rows from ${table}`;
  if (home.database === '') {
    const db = openSqlite(sqliteFile(home.dataDir), 'read');
    try {
      return Number(db.all(sql)[0]?.['rows']);
    } finally {
      db.close();
    }
  }
  return Number((await queryOnce(home.database, sql))[0]?.['rows']);
}

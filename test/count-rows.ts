import pg from 'pg';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
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
  const client = new pg.Client({ connectionString: home.database });
  await client.connect();
  try {
    return Number((await client.query<{ rows: string }>(sql)).rows[0]?.rows);
  } finally {
    await client.end();
  }
}

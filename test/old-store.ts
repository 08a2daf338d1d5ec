import type { Migration } from '#store/migrations/migrate.ts';
import { preparePostgres } from '#store/postgres/schema.ts';
import { openSqlite } from '#store/sqlite/connection.ts';
import { prepareSqlite, sqliteFile } from '#store/sqlite/file.ts';
import { queryOnce } from './query-once.ts';
import type { StoreHome } from './stores.ts';

/** A store as another version of the program would leave it. */
export function prepareStore(home: StoreHome, migrations: readonly Migration[]): Promise<unknown> {
  const options = { ...home, url: home.database, nowMs: 9, migrations };
  return home.database === '' ? prepareSqlite(options) : preparePostgres(options);
}

/** Changes rows behind the store's back. */
export async function meddle(home: StoreHome, sql: string): Promise<void> {
  if (home.database === '') {
    const db = openSqlite(sqliteFile(home.dataDir), 'write');
    db.exec(sql);
    db.close();
    return;
  }
  await queryOnce(home.database, sql);
}

import { closeSync, openSync, writeSync } from 'node:fs';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { int } from '#store/tables/columns.ts';
import type { StoreHome } from './stores.ts';

const PAGE_BYTES = 4096;

/** Pages of a table in the order of its rows: `first`, `middle` and `last` leaf, or the `root`. */
export type DamagedPlace = 'root' | 'first' | 'middle' | 'last';

/** Overwrites one page of a table with noise, as a failing disk does. The database must be closed. */
export function damageTable(
  { dataDir }: Pick<StoreHome, 'dataDir'>,
  table: string,
  place: DamagedPlace,
): void {
  const file = sqliteFile(dataDir);
  const page = pageOf(file, table, place);
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(PAGE_BYTES, 0x5a), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
  closeSync(handle);
}

function pageOf(file: string, table: string, place: DamagedPlace): number {
  const db = openSqlite(file, 'write');
  try {
    db.exec('pragma wal_checkpoint(truncate)');
    const pages = db.all(`select pageno, pagetype from dbstat where name = ? order by path`, [
      table,
    ]);
    const of = (type: string) =>
      pages.filter((row) => row['pagetype'] === type).map((row) => int(row, 'pageno'));
    const leaves = of('leaf');
    const at = { first: 0, middle: leaves.length >> 1, last: leaves.length - 1 };
    const found = place === 'root' ? of('internal')[0] : leaves[at[place]];
    if (found === undefined) throw new Error(`${table} has no ${place} page`);
    return found;
  } finally {
    db.close();
  }
}

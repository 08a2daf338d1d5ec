import { CallError } from '#core/errors/call-error.ts';
import type { Cell, Row } from '../database.ts';
import { schemaVersion } from '../migrations/migrate.ts';
import { openSqlite, type SqliteConnection } from '../sqlite/connection.ts';
import { sqliteQuery } from '../sqlite/database.ts';
import { int, text } from '../tables/columns.ts';
import { toJsonCell, writeBackupFile, type BackupEntry } from './backup-file.ts';
import type { BackupProgress, BackupSummary } from './backup.ts';
import { fits } from './restore.ts';
import { knownColumns, type KnownColumn } from './schema-columns.ts';
import { TABLES } from './tables.ts';

const PAGE = 500;
const ROW_ID = 'exai_row_id';
/** Row numbers are below this. */
const LAST_ROW = 2 ** 52;

export interface SalvageSummary extends BackupSummary {
  /** Tables from which something could not be read, with the rows left out because they refer to what is lost. */
  readonly damaged: readonly { readonly table: string; readonly dropped: number }[];
}

interface Loss {
  unreadable: number;
  dropped: number;
}

/**
 * Saves what can be read of a damaged database, in the portable format. Damaged pages are skipped,
 * and rows that refer to lost rows are left out, so that the file restores.
 */
export async function salvageSqlite(options: {
  file: string;
  to: string;
  nowMs: number;
  onProgress?: (progress: BackupProgress) => void;
}): Promise<SalvageSummary> {
  const { file, to, nowMs, onProgress } = options;
  const db = openSqlite(file, 'read');
  const losses = new Map<string, Loss>();
  let rows = 0;
  let schema = 0;
  try {
    schema = await schemaVersion(sqliteQuery(db), 'sqlite');
    const known = await knownColumns(schema);
    async function* entries(): AsyncIterable<BackupEntry> {
      const created = new Date(nowMs).toISOString();
      yield { is: 'header', header: { exai_backup: 1, schema, created_at: created } };
      const parents = createParents(db);
      for (const { name } of TABLES) {
        const columns = known.get(name);
        if (!columns) continue;
        const loss: Loss = { unreadable: 0, dropped: 0 };
        yield { is: 'table', table: name, columns: [...columns.keys()] };
        for (const row of readableRows(db, name, loss)) {
          const values = [...columns.keys()].map((column) => row[column] ?? null);
          if (!fitsTable(values, [...columns.values()]) || !parents.has(name, row)) {
            loss.dropped += 1;
            continue;
          }
          parents.add(name, row);
          rows += 1;
          if (rows % PAGE === 0) onProgress?.({ table: name, rows });
          yield { is: 'row', values };
        }
        if (loss.unreadable + loss.dropped > 0) losses.set(name, loss);
      }
    }
    await writeBackupFile(to, entries());
  } finally {
    db.close();
  }
  const damaged = [...losses].map(([table, { dropped }]) => ({ table, dropped }));
  return { file: to, schema, rows, damaged };
}

function fitsTable(values: readonly Cell[], columns: readonly KnownColumn[]): boolean {
  return fits(values.map(toJsonCell), columns);
}

/** The rows of a table by their numbers; where a page cannot be read, the rows after it. */
function* readableRows(db: SqliteConnection, table: string, loss: Loss): Iterable<Row> {
  const sql = `select rowid as ${ROW_ID}, * from ${table} where rowid > ? order by rowid limit ?`;
  const read = (after: number, limit: number): Row[] | undefined => {
    try {
      return db.all(sql, [after, limit]);
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      return undefined;
    }
  };
  let after = -LAST_ROW;
  for (let limit = PAGE; ;) {
    const page = read(after, limit);
    if (!page && limit > 1) {
      limit = Math.floor(limit / 2);
      continue;
    }
    if (!page) {
      loss.unreadable += 1;
      const next = nextReadable(after, (from) => read(from, 1) !== undefined);
      if (next === undefined) return;
      after = next;
      continue;
    }
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < limit) return;
    after = int(last, ROW_ID);
    limit = Math.min(PAGE, limit * 2);
  }
}

/** The first place after a damaged page: steps that double, then halving between the last two. */
function nextReadable(after: number, isReadable: (from: number) => boolean): number | undefined {
  const start = Math.max(after, 0);
  let bad = start;
  let step = 1;
  while (!isReadable(start + step)) {
    bad = start + step;
    step *= 2;
    if (start + step > LAST_ROW) return undefined;
  }
  let good = start + step;
  while (good - bad > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isReadable(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

function isDamage(thrown: unknown): boolean {
  return CallError.from(thrown).reason?.code === 'damaged_database';
}

/** The keys of saved rows that rows of later tables refer to. */
function createParents(db: SqliteConnection) {
  const references = new Map<string, readonly { column: string; parent: string; key: string }[]>();
  const saved = new Map<string, { key: string; values: Set<Cell> }>();
  for (const { name } of TABLES) {
    const found = db.all(
      'select "table" as parent, "from" as child, "to" as key from pragma_foreign_key_list(?)',
      [name],
    );
    const list = found.map((row) => ({
      column: text(row, 'child'),
      parent: text(row, 'parent'),
      key: text(row, 'key'),
    }));
    references.set(name, list);
    for (const { parent, key } of list) saved.set(parent, { key, values: new Set() });
  }
  return {
    has: (table: string, row: Row): boolean =>
      (references.get(table) ?? []).every(({ column, parent }) => {
        const value = row[column] ?? null;
        return value === null || saved.get(parent)?.values.has(value) === true;
      }),
    add(table: string, row: Row): void {
      const parent = saved.get(table);
      if (parent) parent.values.add(row[parent.key] ?? null);
    },
  };
}

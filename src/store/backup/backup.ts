import type { AuditKey } from '../audit/keys.ts';
import type { Cell, Query, Row, Dialect } from '../database.ts';
import { writeBackupFile, type BackupEntry } from './backup-file.ts';
import { schemaVersion } from '../migrations/migrate.ts';
import { knownColumns } from './schema-columns.ts';
import { TABLES } from './tables.ts';

const PAGE = 1000;
const PAGE_OF_LARGE = 8;
/** Tables whose rows may be large. */
const LARGE: ReadonlySet<string> = new Set(['jobs', 'content_parts']);

/** Rows of the portable format, or bytes of a copy by the engine. */
export type BackupProgress =
  | { readonly table: string; readonly rows: number }
  | { readonly doneBytes: number; readonly totalBytes: number };

export interface BackupSummary {
  readonly file: string;
  readonly schema: number;
  readonly rows: number;
}

/**
 * Writes a backup of one snapshot. The schema may be older than this program's; the existing
 * columns are saved.
 */
export async function backUp(
  query: Query,
  options: {
    dialect: Dialect;
    file: string;
    nowMs: number;
    /** The audit keys, if the file is to include them; it is then as secret as they are. */
    auditKeys?: readonly AuditKey[];
    onProgress?: (progress: BackupProgress) => void;
  },
): Promise<BackupSummary> {
  const schema = await schemaVersion(query, options.dialect);
  let rows = 0;
  async function* entries(): AsyncIterable<BackupEntry> {
    yield {
      is: 'header',
      header: { exai_backup: 1, schema, created_at: new Date(options.nowMs).toISOString() },
    };
    for (const key of options.auditKeys ?? []) yield { is: 'key', key };
    const existing = await tableNames(query, options.dialect);
    const known = await knownColumns(schema);
    for (const { name, key } of TABLES.filter((table) => existing.has(table.name))) {
      const order = key.filter((column) => known.get(name)?.has(column));
      for await (const entry of tableEntries(query, name, order)) {
        if (entry.is === 'row') rows += 1;
        if (rows % PAGE === 0) options.onProgress?.({ table: name, rows });
        yield entry;
      }
    }
  }
  await writeBackupFile(options.file, entries());
  return { file: options.file, schema, rows };
}

async function* tableEntries(
  query: Query,
  table: string,
  key: readonly string[],
): AsyncIterable<BackupEntry> {
  const order = key.join(', ');
  const pageRows = LARGE.has(table) ? PAGE_OF_LARGE : PAGE;
  let after: Cell[] | undefined;
  for (let columns: string[] | undefined; ;) {
    const beyond = after ? `where (${order}) > (${key.map(() => '?').join(', ')})` : '';
    const page: Row[] = await query(
      `select * from ${table} ${beyond} order by ${order} limit ${pageRows}`,
      after ?? [],
    );
    const [first] = page;
    if (!first) return;
    if (!columns) {
      columns = Object.keys(first);
      yield { is: 'table', table, columns };
    }
    for (const row of page)
      yield { is: 'row', values: columns.map((column) => row[column] ?? null) };
    const last = page.at(-1) ?? first;
    after = key.map((column) => last[column] ?? null);
  }
}

const CATALOGUE = {
  sqlite: `select name from sqlite_master where type = 'table'`,
  postgres: 'select tablename as name from pg_tables where schemaname = current_schema()',
} as const;

async function tableNames(query: Query, dialect: Dialect): Promise<Set<string>> {
  return new Set((await query(CATALOGUE[dialect])).map((row) => String(row['name'])));
}

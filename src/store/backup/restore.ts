import { readAuditKey, type AuditKey } from '../audit/keys.ts';
import {
  readBackupLines,
  unusableBackupError,
  type BackupEntry,
  type BackupHeader,
} from './backup-file.ts';
import { placeholders, type Cell, type Dialect, type Query } from '../database.ts';
import { migrate, newerSchema } from '../migrations/migrate.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { markRestored } from './restored.ts';
import { knownColumns, type KnownColumn } from './schema-columns.ts';
import { TURN_SEARCH_INDEX } from '../tables/turn-search-index.ts';

const ROWS_PER_INSERT = 64;
// Rows with bytes are inserted in smaller groups, so that a restore needs little memory.
const BYTES_PER_INSERT = 4 * 1024 * 1024;

/**
 * Checks the whole file without changing anything, so that a truncated, altered or crafted backup
 * is refused before a restore starts.
 */
export async function checkBackup(
  file: string,
): Promise<BackupHeader & { rows: number; auditKeys: readonly AuditKey[] }> {
  let header: BackupHeader | undefined;
  let rows = 0;
  const auditKeys: AuditKey[] = [];
  for await (const entry of readBackup(file)) {
    if (entry.is === 'header') header = entry.header;
    if (entry.is === 'key') auditKeys.push(entry.key);
    if (entry.is === 'row') rows += 1;
  }
  if (!header) throw unusableBackupError(file, 'it is not a backup');
  return { ...header, rows, auditKeys };
}

/**
 * Fills an empty database in the transaction of `query`: the schema of the backup, its rows, then
 * the current schema.
 */
export async function loadBackup(
  file: string,
  schema: number,
  target: {
    dialect: Dialect;
    query: Query;
    nowMs: number;
    /** When the backup was made. */
    createdAt: string;
    onProgress?: (rows: number) => void;
  },
): Promise<void> {
  const { dialect, query } = target;
  const migration = { dialect, query, backUp: async () => undefined };
  await migrate(migration, MIGRATIONS.slice(0, schema), target.nowMs);
  let table = '';
  let columns: readonly string[] = [];
  let pending: (readonly Cell[])[] = [];
  let pendingBytes = 0;
  let loaded = 0;
  const flush = async () => {
    if (pending.length === 0) return;
    await target.query(
      `insert into ${table} (${columns.join(', ')}) values ${placeholders(columns.length, pending.length)}`,
      pending.flat(),
    );
    if (table === 'turns') await indexWords(target, columns, pending);
    loaded += pending.length;
    target.onProgress?.(loaded);
    pending = [];
    pendingBytes = 0;
  };
  for await (const entry of readBackup(file)) {
    if (entry.is === 'table') {
      await flush();
      ({ table, columns } = entry);
    }
    if (entry.is === 'row') {
      pending.push(entry.values);
      for (const value of entry.values)
        if (value instanceof Uint8Array) pendingBytes += value.length;
    }
    if (pending.length === ROWS_PER_INSERT || pendingBytes >= BYTES_PER_INSERT) await flush();
  }
  await flush();
  if (target.dialect === 'postgres') await advanceIdentities(target.query);
  await migrate(migration, MIGRATIONS, target.nowMs);
  await markRestored(query, target.createdAt, target.nowMs);
}

async function indexWords(
  { dialect, query }: { dialect: Dialect; query: Query },
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  const id = columns.indexOf('id');
  const content = columns.indexOf('content');
  for (const row of rows) {
    const turn = { sql: '?', params: [Number(row[id])] };
    const words = TURN_SEARCH_INDEX[dialect];
    const statements = words.index(turn, words.prepare(String(row[content])));
    for (const { sql, params } of statements) await query(sql, params);
  }
}

/** Sets identity counters past the restored ids. */
async function advanceIdentities(query: Query): Promise<void> {
  for (const table of ['turns', 'usage', 'index_files', 'index_segments']) {
    // The schema is that of the backup, which may be older than the table.
    const [found] = await query(`select to_regclass('${table}')::text as name`);
    if (found?.['name'] === null) continue;
    await query(
      `select setval(pg_get_serial_sequence('${table}', 'id'), (select coalesce(max(id), 0) + 1 from ${table}), false)`,
    );
  }
}

/**
 * The validated entries of a backup: one header at the start, tables and columns of its schema, and
 * rows that fit them. Names in the file become SQL, so everything is checked.
 */
async function* readBackup(file: string): AsyncIterable<BackupEntry> {
  const refuse = (why: string) => unusableBackupError(file, why);
  let tables: ReadonlyMap<string, ReadonlyMap<string, KnownColumn>> | undefined;
  const seen = new Set<string>();
  let columns: readonly KnownColumn[] = [];
  for await (const json of readBackupLines(file)) {
    if (tables === undefined) {
      const header = toHeader(json);
      if (!header) throw refuse('it is not a backup');
      if (header.schema > MIGRATIONS.length) throw newerSchema(header.schema, MIGRATIONS.length);
      tables = await knownColumns(header.schema);
      yield { is: 'header', header };
    } else if (Array.isArray(json)) {
      if (!fits(json, columns)) throw refuse('a row does not fit its table');
      yield { is: 'row', values: json.map((value, index) => toCell(columns[index], value)) };
    } else if (isKeyLine(json)) {
      const key = toKey(json);
      if (!key || seen.size > 0) throw refuse('a key of its audit cannot be read');
      yield { is: 'key', key };
    } else {
      const named = toTable(json);
      const known = named && tables.get(named.table);
      if (!known || seen.has(named.table)) throw refuse('it names unknown tables');
      columns = named.columns.flatMap((column) => known.get(column) ?? []);
      if (columns.length !== known.size || named.columns.length !== known.size) {
        throw refuse(`the columns of ${named.table} are not those of its schema`);
      }
      seen.add(named.table);
      yield { is: 'table', ...named };
    }
  }
  if (tables === undefined) throw refuse('it is not a backup');
}

function toHeader(json: unknown): BackupHeader | undefined {
  const { exai_backup, schema, created_at } = (json ?? {}) as Partial<BackupHeader>;
  const isHeader =
    exai_backup === 1 &&
    typeof created_at === 'string' &&
    Number.isSafeInteger(schema) &&
    Number(schema) >= 1;
  return isHeader ? { exai_backup, schema: Number(schema), created_at } : undefined;
}

type KeyLine = Readonly<Record<'audit_key' | 'writer' | 'from', unknown>>;

function isKeyLine(json: unknown): json is KeyLine {
  return typeof json === 'object' && json !== null && 'audit_key' in json;
}

function toKey({ audit_key: encoded, writer, from }: KeyLine): AuditKey | undefined {
  return readAuditKey({ writer, from, key: encoded });
}

function toTable(json: unknown): { table: string; columns: string[] } | undefined {
  const { table, columns } = (json ?? {}) as { table?: unknown; columns?: unknown };
  if (typeof table !== 'string' || !Array.isArray(columns)) return undefined;
  const names = columns.filter((column) => typeof column === 'string');
  return names.length === columns.length && new Set(names).size === names.length
    ? { table, columns: names }
    : undefined;
}

type JsonCell = string | number | null;

function toCell(column: KnownColumn | undefined, value: JsonCell): Cell {
  const isBytes = column?.kind === 'bytes' && typeof value === 'string';
  return isBytes ? new Uint8Array(Buffer.from(value, 'base64')) : value;
}

export function fits(row: readonly unknown[], columns: readonly KnownColumn[]): row is JsonCell[] {
  return (
    columns.length > 0 &&
    row.length === columns.length &&
    columns.every((column, index) => holds(column, row[index]))
  );
}

function holds({ kind, nullable }: KnownColumn, value: unknown): boolean {
  if (value === null) return nullable;
  switch (kind) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'text':
      return typeof value === 'string';
    case 'json':
      return typeof value === 'string' && isJson(value);
    case 'bytes':
      return typeof value === 'string' && isBase64(value);
  }
}

/** Whether a text is base64 as a backup has it: whole groups, padding at the end alone. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Invalid JSON is a result here, not an error.
    return false;
  }
}

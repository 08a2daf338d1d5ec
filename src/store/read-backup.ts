import { readBackupLines, unusable, type BackupEntry, type BackupHeader } from './backup-file.ts';
import { readAuditKey, type AuditKey } from './audit-key.ts';
import type { Value } from './database.ts';
import { newerSchema } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { knownColumns, type KnownColumn } from './schema-columns.ts';

/**
 * Every entry of a backup, checked: the header first and once, tables and columns that its schema has, rows that fit
 * them. What the file says goes into SQL, so nothing in it is taken on trust.
 */
export async function* readBackup(file: string): AsyncIterable<BackupEntry> {
  const refuse = (why: string) => unusable(file, why);
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
      yield { is: 'row', values: json };
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

function fits(row: readonly unknown[], columns: readonly KnownColumn[]): row is Value[] {
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
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Not JSON is the answer, not a failure.
    return false;
  }
}

import type { AuditKey } from './audit-key.ts';
import { unusable, type BackupHeader } from './backup-file.ts';
import { placeholders, type Dialect, type Query, type Value } from './database.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { readBackup } from './read-backup.ts';
import { TURN_WORDS } from './turn-words.ts';

const ROWS_PER_INSERT = 64;

/** Reads the whole file once, changing nothing: a cut, altered or crafted backup is refused before anything is touched. */
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
  if (!header) throw unusable(file, 'it is not a backup');
  return { ...header, rows, auditKeys };
}

/** Fills an empty database, in the transaction that `query` runs in: the schema of the backup, its rows, then today's schema. */
export async function loadBackup(
  file: string,
  schema: number,
  target: { dialect: Dialect; query: Query; nowMs: number; onProgress?: (rows: number) => void },
): Promise<void> {
  const migration = { ...target, backUp: async () => undefined };
  await migrate(migration, MIGRATIONS.slice(0, schema), target.nowMs);
  let table = '';
  let columns: readonly string[] = [];
  let pending: (readonly Value[])[] = [];
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
  };
  for await (const entry of readBackup(file)) {
    if (entry.is === 'table') {
      await flush();
      ({ table, columns } = entry);
    }
    if (entry.is === 'row') pending.push(entry.values);
    if (pending.length === ROWS_PER_INSERT) await flush();
  }
  await flush();
  if (target.dialect === 'postgres') await advanceIdentities(target.query);
  await migrate(migration, MIGRATIONS, target.nowMs);
}

async function indexWords(
  { dialect, query }: { dialect: Dialect; query: Query },
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
): Promise<void> {
  const id = columns.indexOf('id');
  const content = columns.indexOf('content');
  for (const row of rows) {
    const turn = { sql: '?', params: [row[id] ?? null] };
    const statements = TURN_WORDS[dialect].index(turn, String(row[content]));
    for (const { sql, params } of statements) await query(sql, params);
  }
}

/** Rows came with their ids; the next ones must not repeat them. */
async function advanceIdentities(query: Query): Promise<void> {
  for (const table of ['turns', 'usage']) {
    await query(
      `select setval(pg_get_serial_sequence('${table}', 'id'), (select coalesce(max(id), 0) + 1 from ${table}), false)`,
    );
  }
}

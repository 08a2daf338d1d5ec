import {
  chmodSync,
  constants,
  copyFileSync,
  openSync,
  readSync,
  closeSync,
  existsSync,
  statSync,
} from 'node:fs';
import { readAuditKey, type AuditKey } from '../audit/keys.ts';
import { unusableBackupError } from '../backup/backup-file.ts';
import { markRestored } from '../backup/restored.ts';
import { TABLES } from '../backup/tables.ts';
import { newerSchema, schemaVersion, migrate } from '../migrations/migrate.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { int, text } from '../tables/columns.ts';
import { checkPages } from './check-pages.ts';
import { openSqlite, type SqliteConnection } from './connection.ts';
import { copySqlite, type CopyProgress } from './copy.ts';
import { sqliteQuery } from './database.ts';
import type { Clock } from '#core/time/clock.ts';

/**
 * A backup by the engine: a database with one more table, which has when it was made and the audit
 * keys, if it is to have them. A database that was put aside has no such table, and is one as well.
 */
const ABOUT = 'exai_backup';
const MAGIC = 'SQLite format 3\0';

export interface EngineBackup {
  readonly schema: number;
  readonly rows: number;
  readonly created_at: string;
  readonly auditKeys: readonly AuditKey[];
}

/** Whether a file is a database of SQLite, by its first bytes. */
export function isSqliteFile(file: string): boolean {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  const handle = openSync(file, 'r');
  try {
    const start = Buffer.alloc(MAGIC.length);
    return (
      readSync(handle, start, 0, start.length, 0) === start.length &&
      start.toString('latin1') === MAGIC
    );
  } finally {
    closeSync(handle);
  }
}

export async function backUpSqlite(options: {
  file: string;
  to: string;
  nowMs: number;
  auditKeys?: readonly AuditKey[] | undefined;
  clock?: Clock | undefined;
  onProgress?: ((progress: CopyProgress) => void) | undefined;
}): Promise<{ file: string; schema: number; rows: number }> {
  const { to, nowMs, auditKeys = [] } = options;
  let found = { schema: 0, rows: 0 };
  await copySqlite({
    ...options,
    complete(copy) {
      const db = openSqlite(copy, 'copy');
      try {
        found = { schema: schemaOf(db), rows: countRows(db) };
        db.exec(
          `drop table if exists ${ABOUT}; create table ${ABOUT} (name text not null, value text not null)`,
        );
        const add = (name: string, value: string) =>
          db.run(`insert into ${ABOUT} (name, value) values (?, ?)`, [name, value]);
        add('created_at', new Date(nowMs).toISOString());
        for (const { writerId, fromSeq, key } of auditKeys) {
          const encoded = Buffer.from(key).toString('base64url');
          add('audit_key', JSON.stringify({ writer: writerId, from: fromSeq, key: encoded }));
        }
      } finally {
        db.close();
      }
    },
  });
  return { file: to, ...found };
}

/**
 * Checks a backup before anything changes: all its pages, and that it has the tables of its schema
 * and nothing that runs by itself.
 */
export async function checkEngineBackup(file: string): Promise<EngineBackup> {
  try {
    await checkPages(file);
  } catch (thrown) {
    throw unusableBackupError(file, 'it is damaged or cut off', thrown);
  }
  const db = openSqlite(file, 'read');
  try {
    const schema = await schemaVersion(sqliteQuery(db), 'sqlite');
    if (schema === 0) throw unusableBackupError(file, 'it belongs to another program');
    if (schema > MIGRATIONS.length) throw newerSchema(schema, MIGRATIONS.length);
    const expected = await expectedObjects(schema);
    const objects = objectsOf(db);
    if (objects.size !== expected.size || [...objects].some((each) => !expected.has(each)))
      throw unusableBackupError(file, 'its tables are not those of its schema');
    return { schema, rows: countRows(db), ...readAbout(db, file) };
  } finally {
    db.close();
  }
}

/** Puts the database of a backup at a path, with the current schema. */
export async function loadEngineBackup(
  backup: string,
  made: string,
  options: {
    nowMs: number;
    /** When the backup was made. */
    createdAt: string;
    clock?: Clock | undefined;
    onProgress?: (progress: CopyProgress) => void;
  },
): Promise<void> {
  // A log beside it has a part of what it holds.
  if (existsSync(`${backup}-wal`)) await copySqlite({ file: backup, to: made, ...options });
  else copyFileSync(backup, made, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  // A copy has the mode of its source, such as one that other users may read, or that is read-only.
  chmodSync(made, 0o600);
  const db = openSqlite(made, 'write');
  try {
    db.exec(`begin immediate; drop table if exists ${ABOUT}`);
    const target = {
      dialect: 'sqlite',
      query: sqliteQuery(db),
      backUp: async () => undefined,
    } as const;
    await migrate(target, MIGRATIONS, options.nowMs);
    await markRestored(target.query, options.createdAt, options.nowMs);
    db.exec('commit');
    // Checkpoints the write-ahead log into the file, which is renamed without it.
    db.exec('pragma journal_mode = delete');
  } finally {
    db.close();
  }
}

function schemaOf(db: SqliteConnection): number {
  const [row = {}] = db.all('select max(version) as version from schema_versions');
  return int(row, 'version');
}

function countRows(db: SqliteConnection): number {
  const existing = new Set(
    db.all(`select name from sqlite_master where type = 'table'`).map((row) => text(row, 'name')),
  );
  let rows = 0;
  for (const { name } of TABLES) {
    if (existing.has(name)) rows += int(db.all(`select count(*) as n from ${name}`)[0] ?? {}, 'n');
  }
  return rows;
}

/** Tables with their columns, indexes, triggers and views, without those of the engine. */
function objectsOf(db: SqliteConnection): ReadonlySet<string> {
  const found = new Set<string>();
  const objects = db.all(
    `select type, name from sqlite_master where name not like 'sqlite\\_%' escape '\\' and name <> '${ABOUT}'`,
  );
  for (const row of objects) {
    const [type, name] = [text(row, 'type'), text(row, 'name')];
    found.add(`${type} ${name}`);
    if (type !== 'table') continue;
    const columns = db.all('select name, hidden from pragma_table_xinfo(?)', [name]);
    for (const column of columns)
      found.add(`column ${name}.${text(column, 'name')} ${int(column, 'hidden')}`);
  }
  return found;
}

async function expectedObjects(schema: number): Promise<ReadonlySet<string>> {
  const db = openSqlite(':memory:', 'write');
  try {
    const target = {
      dialect: 'sqlite',
      query: sqliteQuery(db),
      backUp: async () => undefined,
    } as const;
    await migrate(target, MIGRATIONS.slice(0, schema), 0);
    return objectsOf(db);
  } finally {
    db.close();
  }
}

function readAbout(
  db: SqliteConnection,
  file: string,
): Pick<EngineBackup, 'created_at' | 'auditKeys'> {
  const isThere = db.all('select name from sqlite_master where name = ?', [ABOUT]).length > 0;
  const rows = isThere ? db.all(`select name, value from ${ABOUT}`) : [];
  const values = (name: string) =>
    rows.filter((row) => row['name'] === name).map((row) => text(row, 'value'));
  const auditKeys = values('audit_key').map((value) => {
    const key = parseKey(value);
    if (!key) throw unusableBackupError(file, 'a key of its audit cannot be read');
    return key;
  });
  const [created = statSync(file).mtime.toISOString()] = values('created_at');
  return { created_at: created, auditKeys };
}

function parseKey(value: string): AuditKey | undefined {
  try {
    return readAuditKey(JSON.parse(value) as Parameters<typeof readAuditKey>[0]);
  } catch {
    // The caller refuses the backup.
    return undefined;
  }
}

import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import { command, fix } from '#core/messages/fixes.ts';
import { backUp } from './backup.ts';
import type { Query } from './database.ts';
import { loadBackup } from './load-backup.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { damaged, openSqlite, type SqliteConnection } from './sqlite-connection.ts';
import { snapshotSqlite, sqliteQuery } from './sqlite-database.ts';

/** Checked whole at each start while it is cheap; beyond this, damage shows when its page is read. */
const CHECK_UP_TO_BYTES = 16 * 1024 * 1024;

export function sqliteFile(dataDir: string): string {
  return join(dataDir, 'exai.db');
}

/** Makes or migrates the database, so that whoever opens it next finds today's schema. */
export async function prepareSqlite(options: {
  dataDir: string;
  backupDir: string;
  nowMs: number;
  migrations?: typeof MIGRATIONS;
}): Promise<string> {
  const { dataDir, backupDir, nowMs, migrations = MIGRATIONS } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = sqliteFile(dataDir);
  let db: SqliteConnection | undefined;
  try {
    db = openSqlite(file, 'write');
    chmodSync(file, 0o600);
    await checkSmall(sqliteQuery(db), file);
    checkOurs(db, file);
    db.exec('begin immediate');
    await migrate(
      {
        dialect: 'sqlite',
        query: sqliteQuery(db),
        async backUp(version) {
          mkdirSync(backupDir, { recursive: true, mode: 0o700 });
          const backup = join(backupDir, `before-schema-${version + 1}-${nowMs}.jsonl.gz`);
          await snapshotSqlite(file, (query) =>
            backUp(query, { dialect: 'sqlite', file: backup, nowMs }),
          );
        },
      },
      migrations,
      nowMs,
    );
    db.exec('commit');
  } catch (thrown) {
    throw withWayBack(CallError.from(thrown), file, backupDir);
  } finally {
    db?.close();
  }
  return file;
}

/** Looks at one unchanging view of the database, which must be there. */
export async function inspectSqlite<T>(
  { dataDir, backupDir }: { dataDir: string; backupDir: string },
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const file = sqliteFile(dataDir);
  try {
    return await snapshotSqlite(file, async (query) => {
      await checkSmall(query, file);
      return work(query);
    });
  } catch (thrown) {
    throw withWayBack(CallError.from(thrown), file, backupDir);
  }
}

/** A damaged database is refused with the very command that brings the newest backup back. */
function withWayBack(error: CallError, file: string, backupDir: string): CallError {
  const { reason: why } = error;
  if (why?.code !== 'damaged_database') return error;
  const newest = backupsIn(backupDir).at(-1);
  const fixes =
    newest === undefined
      ? [
          `There is no backup in ${backupDir}.`,
          fix('restore_backup'),
          command(`mv ${file} ${file}.damaged`, 'start empty'),
        ]
      : [fix('restore_backup', { file: newest })];
  return codedError(error.class, why, { fixes, cause: error.cause });
}

/** Every finished backup, oldest first. */
export function backupsIn(backupDir: string): string[] {
  if (!existsSync(backupDir)) return [];
  return readdirSync(backupDir)
    .filter((name) => name.endsWith('.jsonl.gz'))
    .map((name) => join(backupDir, name))
    .filter((path) => lstatSync(path).isFile() && lstatSync(path).size > 0)
    .sort((a, b) => lstatSync(a).mtimeMs - lstatSync(b).mtimeMs);
}

/**
 * Builds the restored database beside the present one and puts it in its place by one rename; the present one keeps a
 * second name. At no moment is there no database, whenever the power goes.
 */
export async function restoreSqlite(options: {
  dataDir: string;
  backup: string;
  schema: number;
  nowMs: number;
  onProgress?: (rows: number) => void;
}): Promise<{ replaced: string | undefined }> {
  const { dataDir, nowMs } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  removeUnfinished(dataDir);
  const file = sqliteFile(dataDir);
  const made = `${file}${UNFINISHED}${nowMs}`;
  try {
    await build(made, options);
    const replaced = existsSync(file) ? `${file}.replaced-${nowMs}` : undefined;
    if (replaced !== undefined) setAside(file, replaced);
    renameSync(made, file);
    syncFolder(dataDir);
    return { replaced };
  } finally {
    removeUnfinished(dataDir);
  }
}

const UNFINISHED = '.restoring-';

/** Also what an interrupted restore left; the caller has the home to itself. */
function removeUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (name.includes(UNFINISHED)) rmSync(join(dataDir, name), { force: true });
  }
}

async function build(
  made: string,
  { backup, schema, nowMs, onProgress }: Parameters<typeof restoreSqlite>[0],
): Promise<void> {
  const db = openSqlite(made, 'write');
  try {
    chmodSync(made, 0o600);
    db.exec('begin immediate');
    await loadBackup(backup, schema, {
      dialect: 'sqlite',
      query: sqliteQuery(db),
      nowMs,
      ...(onProgress && { onProgress }),
    });
    db.exec('commit');
    // Folds the log into the file, which is about to be renamed without it.
    db.exec('pragma journal_mode = delete');
  } finally {
    db.close();
  }
}

/** Gives the present database a second name, log included; afterwards nothing beside it could be taken for the new one's. */
function setAside(file: string, aside: string): void {
  try {
    const db = openSqlite(file, 'write');
    db.exec('pragma journal_mode = delete');
    db.close();
  } catch {
    // Damaged, which may be why it is replaced: its log is kept beside it instead.
  }
  linkSync(file, aside);
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

async function checkSmall(query: Query, file: string): Promise<void> {
  if (statSync(file).size > CHECK_UP_TO_BYTES) return;
  const [row] = await query('select quick_check from pragma_quick_check(1)');
  const verdict = row?.['quick_check'];
  if (verdict !== 'ok') throw damaged(file, verdict);
}

/** Our tables are never put into a database of somebody else's. */
function checkOurs(db: SqliteConnection, file: string): void {
  const tables = db.all(`select name from sqlite_master where type = 'table'`);
  if (tables.length === 0 || tables.some(({ name }) => name === 'schema_versions')) return;
  throw new CallError('conflict', `${file} belongs to another program.`, {
    fixes: [
      fix('set_setting', { setting: 'EXAI_HOME', value: 'another folder' }),
      'Or move it away.',
    ],
  });
}

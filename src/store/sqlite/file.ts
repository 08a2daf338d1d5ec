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
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { commandFix, fix } from '#core/messages/fixes.ts';
import { requireFreeSpace } from '../backup/free-space.ts';
import type { Query } from '../database.ts';
import { loadBackup } from '../backup/restore.ts';
import { migrate, type UpgradeProgress } from '../migrations/migrate.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { damagedDatabaseError, openSqlite, type SqliteConnection } from './connection.ts';
import { backUpSqlite, loadEngineBackup } from './engine-backup.ts';
import { snapshotSqlite, sqliteQuery } from './database.ts';

/**
 * Up to this size the file is checked completely at each start; in a larger one damage shows when
 * its page is read.
 */
const CHECK_UP_TO_BYTES = 16 * 1024 * 1024;

export function sqliteFile(dataDir: string): string {
  return join(dataDir, 'exai.db');
}

/** Creates or migrates the database and returns its path. */
export async function prepareSqlite(options: {
  dataDir: string;
  backupDir: string;
  nowMs: number;
  migrations?: typeof MIGRATIONS;
  clock?: Clock;
  onProgress?: ((progress: UpgradeProgress) => void) | undefined;
}): Promise<string> {
  const { dataDir, backupDir, nowMs, migrations = MIGRATIONS, clock, onProgress } = options;
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
        onProgress,
        async backUp(version) {
          mkdirSync(backupDir, { recursive: true, mode: 0o700 });
          const to = join(backupDir, `before-schema-${version + 1}-${nowMs}.db`);
          await backUpSqlite({
            file,
            to,
            nowMs,
            clock,
            onProgress: ({ doneBytes: done, totalBytes: total }) =>
              onProgress?.({ step: 'backup', done, total }),
          });
        },
      },
      migrations,
      nowMs,
    );
    db.exec('commit');
    // The schema is then in the file itself, also where the log is lost after a crash.
    db.exec('pragma wal_checkpoint(passive)');
  } catch (thrown) {
    throw withWayBack(CallError.from(thrown), file, backupDir);
  } finally {
    db?.close();
  }
  return file;
}

/** Runs `work` on a snapshot of an existing database. */
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

/** The error for a damaged database, with the command that restores the newest backup. */
function withWayBack(error: CallError, file: string, backupDir: string): CallError {
  const { reason: why } = error;
  if (why?.code !== 'damaged_database') return error;
  const newest = backupsIn(backupDir).at(-1);
  const fixes =
    newest === undefined
      ? [
          `There is no backup in ${backupDir}.`,
          fix('restore_backup'),
          commandFix(`mv ${file} ${file}.damaged`, 'start empty'),
        ]
      : [fix('restore_backup', { file: newest })];
  return codedError(error.class, why, { fixes, cause: error.cause });
}

/** The complete backups in a folder, oldest first. */
export function backupsIn(backupDir: string): string[] {
  if (!existsSync(backupDir)) return [];
  return readdirSync(backupDir)
    .filter((name) => name.endsWith('.jsonl.gz') || name.endsWith('.db'))
    .map((name) => join(backupDir, name))
    .filter((path) => lstatSync(path).isFile() && lstatSync(path).size > 0)
    .sort((a, b) => lstatSync(a).mtimeMs - lstatSync(b).mtimeMs);
}

/**
 * Builds the restored database beside the current one and replaces it by one rename; the current
 * one keeps a second name. Even after a power cut there is always a database.
 */
export async function restoreSqlite(options: {
  dataDir: string;
  backup: string;
  format: 'portable' | 'engine';
  schema: number;
  createdAt: string;
  nowMs: number;
  onProgress?: (rows: number) => void;
}): Promise<{ replaced: string | undefined }> {
  const { dataDir, nowMs } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  settleUnfinishedRestore(dataDir);
  const file = sqliteFile(dataDir);
  const made = `${file}${UNFINISHED}${nowMs}`;
  try {
    await build(made, options);
    const replaced = existsSync(file) ? `${file}${REPLACED}${nowMs}` : undefined;
    if (replaced !== undefined) setAside(file, replaced);
    renameSync(made, file);
    syncFolder(dataDir);
    return { replaced };
  } finally {
    removeUnfinished(dataDir);
  }
}

const UNFINISHED = '.restoring-';
const REPLACED = '.replaced-';
const LOG_FILES = ['-wal', '-shm'];

/**
 * Removes what a restore left that was killed before it replaced the database, and gives the database
 * its log back. The caller holds the lock of the home.
 */
export function settleUnfinishedRestore(dataDir: string): void {
  const file = sqliteFile(dataDir);
  const database = fileId(file);
  for (const name of existsSync(dataDir) ? readdirSync(dataDir) : []) {
    const aside = join(dataDir, name);
    // Only while a restore runs does the database have both names.
    if (!aside.startsWith(`${file}${REPLACED}`) || database === undefined) continue;
    if (fileId(aside) !== database) continue;
    for (const suffix of LOG_FILES)
      if (existsSync(aside + suffix) && !existsSync(file + suffix))
        renameSync(aside + suffix, file + suffix);
    rmSync(aside);
  }
  if (existsSync(dataDir)) removeUnfinished(dataDir);
}

function fileId(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return found?.isFile() ? `${found.dev} ${found.ino}` : undefined;
}

/** Removes the files of an interrupted restore too; the caller holds the lock of the home. */
function removeUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (name.includes(UNFINISHED)) rmSync(join(dataDir, name), { force: true });
  }
}

async function build(
  made: string,
  { backup, format, schema, createdAt, nowMs, onProgress }: Parameters<typeof restoreSqlite>[0],
): Promise<void> {
  requireFreeSpace(made, statSync(backup).size);
  if (format === 'engine') return loadEngineBackup(backup, made, { nowMs, createdAt });
  const db = openSqlite(made, 'write');
  try {
    chmodSync(made, 0o600);
    db.exec('begin immediate');
    await loadBackup(backup, schema, {
      dialect: 'sqlite',
      query: sqliteQuery(db),
      nowMs,
      createdAt,
      ...(onProgress && { onProgress }),
    });
    db.exec('commit');
    // Checkpoints the write-ahead log into the file, which is renamed without it.
    db.exec('pragma journal_mode = delete');
  } finally {
    db.close();
  }
}

/**
 * Links the current database and its log under a second name, so that the log is not used with the
 * new database.
 */
function setAside(file: string, aside: string): void {
  try {
    const db = openSqlite(file, 'write');
    db.exec('pragma journal_mode = delete');
    db.close();
  } catch {
    // The database is damaged, perhaps the reason for the restore: its log is saved too.
  }
  linkSync(file, aside);
  for (const suffix of LOG_FILES) {
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
  if (verdict !== 'ok') throw damagedDatabaseError(file, verdict);
}

/** Refuses a database that another program created. */
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

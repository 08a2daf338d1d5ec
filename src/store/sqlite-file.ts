import { chmodSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backUp } from './backup.ts';
import type { Query } from './database.ts';
import { loadBackup } from './load-backup.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { damaged, openSqlite, type SqliteConnection } from './sqlite-connection.ts';
import { snapshotSqlite } from './sqlite-database.ts';

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
  const db = openSqlite(file, 'write');
  try {
    chmodSync(file, 0o600);
    if (statSync(file).size <= CHECK_UP_TO_BYTES) checkPages(db, file);
    db.exec('begin immediate');
    await migrate(
      {
        dialect: 'sqlite',
        query: toQuery(db),
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
  } finally {
    db.close();
  }
  return file;
}

/** Builds the restored database beside the present one and swaps them at the end; the present one is kept under another name. */
export async function restoreSqlite(options: {
  dataDir: string;
  backup: string;
  schema: number;
  nowMs: number;
  onProgress?: (rows: number) => void;
}): Promise<{ replaced: string | undefined }> {
  const { dataDir, backup, schema, nowMs, onProgress } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = sqliteFile(dataDir);
  const made = `${file}.restoring-${nowMs}`;
  const db = openSqlite(made, 'write');
  try {
    chmodSync(made, 0o600);
    db.exec('begin immediate');
    await loadBackup(backup, schema, {
      dialect: 'sqlite',
      query: toQuery(db),
      nowMs,
      ...(onProgress && { onProgress }),
    });
    db.exec('commit');
    // Folds the log into the file, which is about to be renamed without it.
    db.exec('pragma journal_mode = delete');
  } finally {
    db.close();
  }
  const aside = `${file}.replaced-${nowMs}`;
  const replaced = existsSync(file) ? aside : undefined;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
  }
  renameSync(made, file);
  return { replaced };
}

function toQuery(db: SqliteConnection): Query {
  return async (sql, params) => {
    if (READS.test(sql)) return db.all(sql, params);
    db.run(sql, params);
    return [];
  };
}

const READS = /^\s*select\b|\breturning\b/;

function checkPages(db: SqliteConnection, file: string): void {
  const [row] = db.all('pragma quick_check(1)');
  const verdict = row && Object.values(row)[0];
  if (verdict !== 'ok') throw damaged(file, verdict);
}

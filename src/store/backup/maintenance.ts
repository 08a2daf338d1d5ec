import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix } from '#core/messages/fixes.ts';
import type { BreakerStore } from '#core/stores/breakers.ts';
import type { Clock } from '#core/time/clock.ts';
import type { AuditReport } from '#core/stores/store.ts';
import { readChainHead } from '../audit/chain.ts';
import type { AuditKey } from '../audit/keys.ts';
import { verifyAudit, type VerifyOptions } from '../audit/verify.ts';
import { backUp, type BackupProgress, type BackupSummary } from './backup.ts';
import type { Dialect, Query } from '../database.ts';
import { checkBackup } from './restore.ts';
import { salvageSqlite, type SalvageSummary } from './salvage.ts';
import { newerSchema, schemaVersion } from '../migrations/migrate.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { readBreakers } from '../tables/breakers.ts';
import { snapshotSqlite } from '../sqlite/database.ts';
import { backUpSqlite, checkEngineBackup, isSqliteFile } from '../sqlite/engine-backup.ts';
import { inspectSqlite, restoreSqlite, sqliteFile } from '../sqlite/file.ts';

/**
 * The location of a store. These functions need no daemon, and only `restoreStore` needs it
 * stopped.
 */
export interface StorePlace {
  /** A postgres:// URL; empty for SQLite under `dataDir`. */
  readonly database: string;
  readonly dataDir: string;
  readonly backupDir: string;
}

export async function backUpStore(
  place: StorePlace,
  options: {
    file: string;
    nowMs: number;
    auditKeys?: readonly AuditKey[];
    clock?: Clock;
    onProgress?: (progress: BackupProgress) => void;
  },
): Promise<BackupSummary> {
  const { clock, ...rest } = options;
  if (place.database !== '' || formatOf(options.file) === 'portable')
    return inspect(place, (query, dialect) => backUp(query, { dialect, ...rest }));
  await inspect(place, async () => undefined);
  const { file: to, ...more } = rest;
  return backUpSqlite({ ...more, file: sqliteFile(place.dataDir), to, clock });
}

/** Saves what can be read of a damaged SQLite database. */
export async function salvageStore(
  place: StorePlace,
  options: { file: string; nowMs: number; onProgress?: (progress: BackupProgress) => void },
): Promise<SalvageSummary> {
  if (place.database !== '') {
    throw new CallError('validation', 'A PostgreSQL database is not salvaged by EX-AI.', {
      field: '--salvage',
      fix: 'Use the tools of PostgreSQL, such as pg_dump with zero_damaged_pages.',
    });
  }
  const file = sqliteFile(place.dataDir);
  if (!existsSync(file)) throw nothingYet();
  const { file: to, ...rest } = options;
  return salvageSqlite({ ...rest, file, to });
}

/** By the name of the file: `.gz` is the portable format; with SQLite other names are copies by the engine. */
export function formatOf(file: string): 'portable' | 'engine' {
  return file.endsWith('.gz') ? 'portable' : 'engine';
}

export async function verifyStoreAudit(
  place: StorePlace,
  options: Omit<VerifyOptions, 'dialect'>,
): Promise<AuditReport> {
  return inspect(place, (query, dialect) => verifyAudit(query, { dialect, ...options }));
}

/** The saved breaker states. */
export async function storedBreakers(place: StorePlace): ReturnType<BreakerStore['all']> {
  return inspect(place, (query) => readBreakers(query));
}

/** The number of the last row of a writer's chain; 0 where it has none. */
export async function auditHeadSeq(place: StorePlace, writerId: string): Promise<number> {
  return inspect(place, async (query) => (await readChainHead(query, writerId)).seq);
}

export interface RestoreSummary {
  readonly rows: number;
  readonly createdAt: string;
  /** The path of the previous database. */
  readonly replaced?: string;
  /** The audit keys in the backup. */
  readonly auditKeys: readonly AuditKey[];
}

export async function restoreStore(
  place: StorePlace,
  options: {
    file: string;
    nowMs: number;
    existing: 'refuse' | 'replace';
    /** Called when the whole file was checked, before anything changes. */
    onChecked?: (about: Pick<RestoreSummary, 'auditKeys'>) => void;
    onProgress?: (rows: number) => void;
  },
): Promise<RestoreSummary> {
  const { file, onChecked, ...rest } = options;
  const format = isSqliteFile(file) ? 'engine' : 'portable';
  const {
    schema,
    rows,
    created_at: createdAt,
    auditKeys,
  } = format === 'engine' ? await checkEngineBackup(file) : await checkBackup(file);
  onChecked?.({ auditKeys });
  if (place.database !== '') {
    let replaced: string | undefined;
    const beforeEmptying = async () => {
      if (options.existing === 'replace') replaced = await keep(place, options.nowMs);
    };
    const { restorePostgres } = await loadPostgres();
    const restore = (backup: string) =>
      restorePostgres({ url: place.database, backup, schema, createdAt, beforeEmptying, ...rest });
    if (format === 'portable') await restore(file);
    else await withPortable(place, file, options.nowMs, restore);
    return { rows, createdAt, auditKeys, ...(replaced !== undefined && { replaced }) };
  }
  const { replaced } = await restoreSqlite({
    dataDir: place.dataDir,
    backup: file,
    format,
    schema,
    createdAt,
    ...rest,
  });
  return { rows, createdAt, auditKeys, ...(replaced !== undefined && { replaced }) };
}

/** Runs `work` with a portable copy of a backup that the engine of SQLite made. */
async function withPortable(
  { backupDir }: StorePlace,
  backup: string,
  nowMs: number,
  work: (file: string) => Promise<void>,
): Promise<void> {
  mkdirSync(backupDir, { recursive: true, mode: 0o700 });
  const file = join(backupDir, `restoring-${nowMs}.jsonl.gz`);
  try {
    await snapshotSqlite(backup, (query) => backUp(query, { dialect: 'sqlite', file, nowMs }));
    await work(file);
  } finally {
    rmSync(file, { force: true });
  }
}

/** Backs up a PostgreSQL database before it is emptied; undefined when it has no tables yet. */
async function keep(place: StorePlace, nowMs: number): Promise<string | undefined> {
  if ((await storeSchema(place)) === 0) return undefined;
  mkdirSync(place.backupDir, { recursive: true, mode: 0o700 });
  const file = join(place.backupDir, `before-restore-${nowMs}.jsonl.gz`);
  await backUpStore(place, { file, nowMs });
  return file;
}

/**
 * The version of the schema, or 0 where there is none; throws for one newer than this program's.
 */
export function storeSchema(place: StorePlace): Promise<number> {
  if (place.database === '' && !existsSync(sqliteFile(place.dataDir))) return Promise.resolve(0);
  return snapshot(place, knownSchema);
}

/** Runs `work` on a snapshot of an existing store whose schema this program knows. */
function inspect<T>(
  place: StorePlace,
  work: (query: Query, dialect: Dialect) => Promise<T>,
): Promise<T> {
  if (place.database === '' && !existsSync(sqliteFile(place.dataDir))) throw nothingYet();
  return snapshot(place, async (query, dialect) => {
    if ((await knownSchema(query, dialect)) === 0) throw nothingYet();
    return work(query, dialect);
  });
}

async function knownSchema(query: Query, dialect: Dialect): Promise<number> {
  const version = await schemaVersion(query, dialect);
  if (version > MIGRATIONS.length) throw newerSchema(version, MIGRATIONS.length);
  return version;
}

async function snapshot<T>(
  place: StorePlace,
  work: (query: Query, dialect: Dialect) => Promise<T>,
): Promise<T> {
  if (place.database === '') return inspectSqlite(place, (query) => work(query, 'sqlite'));
  const { snapshotPostgres } = await loadPostgres();
  return snapshotPostgres(place.database, (query) => work(query, 'postgres'));
}

/** On demand: the client costs several megabytes, and a daemon on SQLite needs none of it. */
const loadPostgres = () => import('../postgres/schema.ts');

function nothingYet(): CallError {
  return new CallError('not_found', 'There is no database yet.', {
    fixes: ['It is made when the daemon first starts.', commandFix('exai start')],
  });
}

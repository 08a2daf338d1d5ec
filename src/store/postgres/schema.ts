import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { backUp } from '../backup/backup.ts';
import type { Query } from '../database.ts';
import { loadBackup } from '../backup/restore.ts';
import { migrate, type UpgradeProgress } from '../migrations/migrate.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import {
  createPostgresPool,
  runTransaction,
  SNAPSHOT,
  toPostgresConnection,
} from './connection.ts';
import { TABLES } from '../backup/tables.ts';

// Advisory lock of daemons that start together; any constant works as long as it never changes.
const SCHEMA_LOCK = 'select pg_advisory_xact_lock(8765001)';

/** Migrates the schema; daemons that start together wait for the first. */
export function preparePostgres(options: {
  url: string;
  backupDir: string;
  nowMs: number;
  migrations?: typeof MIGRATIONS;
  onProgress?: ((progress: UpgradeProgress) => void) | undefined;
}): Promise<number> {
  const { url, backupDir, nowMs, migrations = MIGRATIONS, onProgress } = options;
  return withPool(url, (pool) =>
    runTransaction(
      () => pool.connect(),
      url,
      async (client) => {
        await client.query(SCHEMA_LOCK);
        const target = {
          dialect: 'postgres' as const,
          query: toQuery(client, url),
          onProgress,
          async backUp(version: number) {
            mkdirSync(backupDir, { recursive: true, mode: 0o700 });
            const file = join(backupDir, `before-schema-${version + 1}-${nowMs}.jsonl.gz`);
            await snapshotPostgres(url, (query) =>
              backUp(query, {
                dialect: 'postgres',
                file,
                nowMs,
                onProgress: (done) =>
                  'rows' in done && onProgress?.({ step: 'backup', done: done.rows }),
              }),
            );
          },
        };
        return migrate(target, migrations, nowMs);
      },
    ),
  );
}

/** Runs `work` on one snapshot. */
export function snapshotPostgres<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  return withPool(url, (pool) =>
    runTransaction(
      () => pool.connect(),
      url,
      (client) => work(toQuery(client, url)),
      { begin: SNAPSHOT },
    ),
  );
}

/** Restores in one transaction. A database that has tables is emptied only when requested. */
export function restorePostgres(options: {
  url: string;
  backup: string;
  schema: number;
  createdAt: string;
  nowMs: number;
  existing: 'refuse' | 'replace';
  /** Called when the restore can start and no other client is connected. */
  beforeEmptying: () => Promise<void>;
  onProgress?: (rows: number) => void;
}): Promise<void> {
  const { url, backup, schema, createdAt, nowMs, existing, beforeEmptying, onProgress } = options;
  return withPool(url, (pool) =>
    runTransaction(
      () => pool.connect(),
      url,
      async (client) => {
        await client.query(SCHEMA_LOCK);
        const query = toQuery(client, url);
        const [row] = await query(OTHERS);
        if (Number(row?.['others']) > 0) throw inUse(Number(row?.['others']));
        if (existing === 'refuse' && (await holdsRows(query))) throw notEmpty();
        await beforeEmptying();
        const names = [...TABLES.map(({ name }) => name), 'turn_words', 'pages', 'schema_versions'];
        await query(`drop table if exists ${names.join(', ')} cascade`);
        await loadBackup(backup, schema, {
          dialect: 'postgres',
          query,
          nowMs,
          createdAt,
          ...(onProgress && { onProgress }),
        });
      },
    ),
  );
}

/**
 * The number of other connections, from any machine. What a daemon writes would be lost, or end up
 * in the restored tables.
 */
const OTHERS = `select count(*) as others from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;

function inUse(connections: number): CallError {
  return new CallError(
    'conflict',
    `This PostgreSQL database has ${connections} other connections.`,
    { fixes: ['Stop every daemon that uses it, and whatever else is connected.', fix('retry')] },
  );
}

async function holdsRows(query: Query): Promise<boolean> {
  const [found] = await query(`select to_regclass('schema_versions') as name`);
  if (found?.['name'] === null) return false;
  const checks = TABLES.map(({ name }) => `exists (select 1 from ${name})`).join(' or ');
  const [row] = await query(`select case when ${checks} then 1 else 0 end as held`);
  return row?.['held'] === 1;
}

function notEmpty(): CallError {
  return new CallError('conflict', 'The PostgreSQL database already holds data.', {
    fix: 'Add --replace to put the backup in its place.',
  });
}

async function withPool<T>(url: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = createPostgresPool(url, 'maintenance');
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

function toQuery(client: pg.PoolClient, url: string): Query {
  const connection = toPostgresConnection(client, url);
  return async (sql, params) => (await connection.run(sql, params)).rows;
}

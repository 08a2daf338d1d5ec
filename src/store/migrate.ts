import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { SPELLINGS, type Migration } from './migration.ts';
import type { Dialect, Query } from './database.ts';

/** What a migration needs of a connection; all of it happens in one transaction that the caller opened. */
export interface MigrationTarget {
  readonly dialect: Dialect;
  readonly query: Query;
  /** Called before the first change to a database that already holds something. */
  backUp(fromVersion: number): Promise<void>;
}

/** Brings the schema to the newest version this program knows; gives that version. */
export async function migrate(
  target: MigrationTarget,
  migrations: readonly Migration[],
  nowMs: number,
): Promise<number> {
  const spelling = SPELLINGS[target.dialect];
  await target.query(
    `create table if not exists schema_versions (
      version ${spelling.int} primary key, name text not null, applied_at ${spelling.int} not null)`,
  );
  const current = await schemaVersion(target.query, target.dialect);
  const newest = migrations.length;
  if (current > newest) throw newerSchema(current, newest);
  if (current > 0 && current < newest) await target.backUp(current);
  for (const migration of migrations.slice(current)) {
    for (const sql of migration.up(spelling)) await target.query(sql);
    await target.query('insert into schema_versions (version, name, applied_at) values (?, ?, ?)', [
      migration.version,
      migration.name,
      nowMs,
    ]);
  }
  return newest;
}

const HAS_VERSIONS = {
  sqlite: `select name from sqlite_master where name = 'schema_versions'`,
  postgres: `select tablename from pg_tables where schemaname = current_schema() and tablename = 'schema_versions'`,
} as const;

/** 0 for a database without tables of ours. */
export async function schemaVersion(query: Query, dialect: Dialect): Promise<number> {
  if ((await query(HAS_VERSIONS[dialect])).length === 0) return 0;
  const rows = await query('select max(version) as version from schema_versions');
  return Number(rows[0]?.['version'] ?? 0);
}

export function newerSchema(found: number, known: number): CallError {
  return new CallError(
    'conflict',
    `The database was written by a newer EX-AI (schema ${found}; this program knows ${known}).`,
    {
      fixes: [
        fix('set_setting', { setting: 'EXAI_HOME', value: 'another folder' }),
        'Or update EX-AI.',
      ],
    },
  );
}

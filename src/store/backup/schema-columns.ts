import { migrate } from '../migrations/migrate.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { openSqlite } from '../sqlite/connection.ts';
import { sqliteQuery } from '../sqlite/database.ts';
import { TABLES } from './tables.ts';

export interface KnownColumn {
  readonly kind: 'integer' | 'text' | 'json' | 'bytes';
  readonly nullable: boolean;
}

/**
 * The columns of each table in a version of the schema, read from a database that is built in
 * memory.
 */
export async function knownColumns(
  schema: number,
): Promise<ReadonlyMap<string, ReadonlyMap<string, KnownColumn>>> {
  const db = openSqlite(':memory:', 'write');
  try {
    const target = { dialect: 'sqlite', query: sqliteQuery(db), backUp: noBackup } as const;
    await migrate(target, MIGRATIONS.slice(0, schema), 0);
    const tables = new Map<string, ReadonlyMap<string, KnownColumn>>();
    for (const { name, json } of TABLES) {
      const columns = db.all(`select name, type, "notnull", pk from pragma_table_info('${name}')`);
      if (columns.length === 0) continue;
      tables.set(
        name,
        new Map(columns.map((column) => [String(column['name']), toKnown(column, json)])),
      );
    }
    return tables;
  } finally {
    db.close();
  }
}

function toKnown(column: Readonly<Record<string, unknown>>, json: readonly string[]): KnownColumn {
  const type = String(column['type']).toLowerCase();
  const nullable = column['notnull'] === 0 && column['pk'] === 0;
  if (type === 'integer') return { kind: 'integer', nullable };
  if (type === 'blob') return { kind: 'bytes', nullable };
  return { kind: json.includes(String(column['name'])) ? 'json' : 'text', nullable };
}

function noBackup(): Promise<void> {
  return Promise.resolve();
}

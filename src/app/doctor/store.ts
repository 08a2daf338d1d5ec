import { CallError } from '#core/call-error.ts';
import { storeSchema } from '#store/maintenance.ts';
import { MIGRATIONS } from '#store/migrations.ts';
import { failed, type Examine } from './check.ts';

/** A running daemon is asked; else the store is read without being made, migrated or written. */
export const store: Examine = async ({ loaded, readiness, home }) => {
  const check = { id: 'store', title: 'Store' } as const;
  if (readiness?.store?.ok) {
    const { kind, schemaVersion: schema } = readiness.store;
    return [{ ...check, status: 'ok', detail: `${kind}, schema ${schema}` }];
  }
  if (loaded instanceof CallError) return [];
  try {
    const { database } = loaded.config;
    const kind = database === '' ? 'sqlite' : 'postgres';
    const schema = await storeSchema({
      database,
      dataDir: home.dataDir,
      backupDir: home.backupDir,
    });
    return [{ ...check, status: 'ok', detail: `${kind}, ${describeSchema(schema)}` }];
  } catch (thrown) {
    return [failed(check, thrown)];
  }
};

function describeSchema(version: number): string {
  if (version === 0) return 'made at first start';
  const later = version < MIGRATIONS.length ? ', brought up to date at the next start' : '';
  return `schema ${version}${later}`;
}

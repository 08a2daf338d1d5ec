import type { SettingStore } from '#core/stores/settings.ts';
import type { Query } from '../database.ts';

/**
 * The setting that a restored database has until the rest of the restore is done: the end of the audit that is
 * recorded outside of the database, and the row that tells of the restore. It comes with the restored rows, so a
 * restore that was killed after them is completed by the next start.
 */
const SETTING = 'restored';

/** Within the transaction of the restored rows. `createdAt`: of the backup. */
export async function markRestored(query: Query, createdAt: string, nowMs: number): Promise<void> {
  await query('delete from settings where name = ?', [SETTING]);
  await query('insert into settings (name, value, updated_at) values (?, ?, ?)', [
    SETTING,
    JSON.stringify(createdAt),
    nowMs,
  ]);
}

/** When the backup was made, of a database whose restore is not complete. */
export async function restoredFrom(
  settings: Pick<SettingStore, 'get'>,
): Promise<string | undefined> {
  const createdAt = await settings.get(SETTING);
  return typeof createdAt === 'string' ? createdAt : undefined;
}

export async function hasRestoredMark(query: Query): Promise<boolean> {
  return (await query('select name from settings where name = ?', [SETTING])).length > 0;
}

export function removeRestoredMark(settings: Pick<SettingStore, 'delete'>): Promise<void> {
  return settings.delete(SETTING);
}

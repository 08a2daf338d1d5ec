import { existsSync, statSync } from 'node:fs';
import { CallError } from '#core/call-error.ts';
import { backupsIn, sqliteFile } from '#store/sqlite-file.ts';
import type { Examine, Patient } from './check.ts';

const DAY_MS = 86_400_000;

export const backups: Examine = (patient) => {
  const { home, system } = patient;
  const check = { id: 'backup', title: 'Last backup' } as const;
  const newest = backupsIn(home.backupDir).at(-1);
  if (newest === undefined) {
    if (!hasDatabase(patient)) return [];
    return [{ ...check, status: 'off', detail: 'none', fix: 'exai backup' }];
  }
  const days = Math.floor((system.clock.now() - statSync(newest).mtimeMs) / DAY_MS);
  const age = days < 1 ? 'today' : `${days} day${days === 1 ? '' : 's'} ago`;
  return [{ ...check, status: 'ok', detail: `${age}, in ${home.backupDir}` }];
};

function hasDatabase({ loaded, home }: Patient): boolean {
  const isPostgres = !(loaded instanceof CallError) && loaded.config.database !== '';
  return isPostgres || existsSync(sqliteFile(home.dataDir));
}

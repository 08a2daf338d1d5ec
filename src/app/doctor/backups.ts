import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { sqliteFile } from '#store/sqlite-file.ts';
import type { Examine, Patient } from './check.ts';

const DAY_MS = 86_400_000;

export const backups: Examine = (patient) => {
  const { home, system } = patient;
  const check = { id: 'backup', title: 'Last backup' } as const;
  const newest = Math.max(0, ...filesIn(home.backupDir).map((file) => statSync(file).mtimeMs));
  if (newest === 0) {
    if (!hasDatabase(patient)) return [];
    return [{ ...check, status: 'off', detail: 'none', fix: 'exai backup' }];
  }
  const days = Math.floor((system.clock.now() - newest) / DAY_MS);
  const age = days < 1 ? 'today' : `${days} day${days === 1 ? '' : 's'} ago`;
  return [{ ...check, status: 'ok', detail: `${age}, in ${home.backupDir}` }];
};

function hasDatabase({ loaded, home }: Patient): boolean {
  const isPostgres = !(loaded instanceof CallError) && loaded.config.database !== '';
  return isPostgres || existsSync(sqliteFile(home.dataDir));
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    // Not made yet.
    return [];
  }
}

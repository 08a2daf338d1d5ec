import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LoadedConfig } from '#config/load.ts';
import type { Clock } from '#core/clock.ts';
import type { AuditReport } from '#core/stores/store.ts';
import type { BackupSummary } from '#store/backup.ts';
import {
  backUpStore,
  restoreStore,
  verifyStoreAudit,
  type RestoreSummary,
  type StorePlace,
} from '#store/maintenance.ts';
import { claimHome } from './single-instance.ts';

/** Backs up beside a running daemon, into the home unless told where. */
export function backUpHome(
  loaded: LoadedConfig,
  clock: Clock,
  options: { file?: string; onProgress?: (rows: number) => void },
): Promise<BackupSummary> {
  const nowMs = clock.now();
  const { backupDir } = loaded.home;
  if (options.file === undefined) mkdirSync(backupDir, { recursive: true, mode: 0o700 });
  const stamp = new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-');
  return backUpStore(place(loaded), {
    file: resolve(options.file ?? join(backupDir, `exai-${stamp}.jsonl.gz`)),
    nowMs,
    onProgress: ({ rows }) => options.onProgress?.(rows),
  });
}

/** Needs the home to itself: a running daemon would go on writing to what is being replaced. */
export async function restoreHome(
  loaded: LoadedConfig,
  clock: Clock,
  options: { file: string; existing: 'refuse' | 'replace'; onProgress?: (rows: number) => void },
): Promise<RestoreSummary> {
  const lock = await claimHome(loaded.home, clock);
  try {
    return await restoreStore(place(loaded), {
      ...options,
      file: resolve(options.file),
      nowMs: clock.now(),
    });
  } finally {
    lock.release();
  }
}

export function verifyHomeAudit(loaded: LoadedConfig): Promise<AuditReport> {
  return verifyStoreAudit(place(loaded));
}

function place({ config, home }: LoadedConfig): StorePlace {
  return { database: config.database, dataDir: home.dataDir, backupDir: home.backupDir };
}

import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LoadedConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { commandFix } from '#core/messages/fixes.ts';
import { shellQuote } from '#core/text/text.ts';
import type { AuditReport } from '#core/stores/store.ts';
import type { BackupProgress, BackupSummary } from '#store/backup/backup.ts';
import {
  backUpStore,
  restoreStore,
  salvageStore,
  verifyStoreAudit,
  type RestoreSummary,
  type StorePlace,
} from '#store/backup/maintenance.ts';
import { readHeadFile } from '#store/audit/head-file.ts';
import type { SalvageSummary } from '#store/backup/salvage.ts';
import { storeName } from '#store/store-name.ts';
import { openAuditKeys, readAuditKeys } from '../audit-keys.ts';
import { daemonState } from './daemon-state.ts';
import { recordRestore } from './record-restore.ts';
import { forgetRestore, noteRestore } from './unfinished-restore.ts';
import { claimHome } from './single-instance.ts';
import { systemRandom } from '../system.ts';

/** Backs up the store, also while a daemon runs; by default into the home. */
export function backUpHome(
  loaded: LoadedConfig,
  clock: Clock,
  options: {
    file?: string;
    auditKeys: 'include' | 'leave_out';
    /** Default: a copy by the engine with SQLite, else portable. A file name that ends with `.gz` is portable. */
    format?: 'portable';
    onProgress?: (progress: BackupProgress) => void;
  },
): Promise<BackupSummary> {
  const nowMs = clock.now();
  const { backupDir } = loaded.home;
  if (options.file === undefined) mkdirSync(backupDir, { recursive: true, mode: 0o700 });
  const isPortable = options.format === 'portable' || loaded.config.database !== '';
  if (options.format === 'portable' && options.file?.endsWith('.gz') === false)
    throw notPortable(options.file, '--portable');
  const suffix = isPortable ? 'jsonl.gz' : 'db';
  return backUpStore(place(loaded), {
    file: resolve(options.file ?? unusedName(join(backupDir, `exai-${stampOf(nowMs)}`), suffix)),
    clock,
    nowMs,
    ...(options.auditKeys === 'include' && {
      auditKeys: readAuditKeys(loaded.home.auditKeysFile),
    }),
    ...(options.onProgress && { onProgress: options.onProgress }),
  });
}

/** Saves what can be read of a damaged database, also while a daemon runs. */
export function salvageHome(
  loaded: LoadedConfig,
  clock: Clock,
  options: { file?: string; onProgress?: (progress: BackupProgress) => void },
): Promise<SalvageSummary> {
  const nowMs = clock.now();
  const { backupDir } = loaded.home;
  const { onProgress } = options;
  const file =
    options.file ?? unusedName(join(backupDir, `salvaged-${stampOf(nowMs)}`), 'jsonl.gz');
  mkdirSync(backupDir, { recursive: true, mode: 0o700 });
  if (!file.endsWith('.gz')) throw notPortable(file, '--salvage');
  const to = { file: resolve(file), nowMs };
  return salvageStore(place(loaded), { ...to, ...(onProgress && { onProgress }) });
}

/** Has the number of restored audit keys instead of the keys, which must not be shown. */
export type HomeRestoreSummary = Omit<RestoreSummary, 'auditKeys'> & { readonly auditKeys: number };

/**
 * Restores a backup. Requires that no daemon runs, because it would continue writing to the
 * replaced store.
 */
export async function restoreHome(
  loaded: LoadedConfig,
  clock: Clock,
  options: { file: string; existing: 'refuse' | 'replace'; onProgress?: (rows: number) => void },
): Promise<HomeRestoreSummary> {
  const lock = await claimHome(loaded.home, clock).catch((thrown: unknown) => {
    const error = CallError.from(thrown);
    throw new CallError(error.class, error.message, {
      fixes: [commandFix('exai stop', 'stop it first')],
      cause: thrown,
    });
  });
  let isNoted = false;
  try {
    const to = place(loaded);
    const file = resolve(options.file);
    const { auditKeys, ...summary } = await restoreStore(to, {
      ...options,
      file,
      nowMs: clock.now(),
      onChecked({ auditKeys: found }) {
        // A start after a kill completes the restore, and then the keys are known.
        openAuditKeys(loaded.home.auditKeysFile, systemRandom).add(found);
        noteRestore(loaded.home, file, clock.now());
        isNoted = true;
      },
    });
    await recordRestore(loaded, clock);
    return { ...summary, auditKeys: auditKeys.length };
  } finally {
    if (isNoted) forgetRestore(loaded.home);
    lock.release();
  }
}

export function verifyHomeAudit(
  loaded: LoadedConfig,
  heads: readonly string[],
): Promise<AuditReport> {
  const keys = readAuditKeys(loaded.home.auditKeysFile);
  // Before the rows: a daemon that runs writes both all the time.
  const recorded = readHeadFile(loaded.home.auditHeadFile);
  return verifyStoreAudit(place(loaded), { keys, heads, recorded });
}

/** A time as a part of a file name, with milliseconds: backups may be made at the same time. */
function stampOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 23).replaceAll(/[:.]/g, '-');
}

/** A file that is not there yet: with a number where the name is taken. */
function unusedName(base: string, suffix: string): string {
  let file = `${base}.${suffix}`;
  for (let count = 2; existsSync(file); count += 1) file = `${base}-${count}.${suffix}`;
  return file;
}

function notPortable(file: string, option: '--portable' | '--salvage'): CallError {
  return new CallError('validation', `${file} must end with .gz for ${option}.`, {
    field: option,
    fixes: [commandFix(`exai backup ${option} ${shellQuote(`${file}.jsonl.gz`)}`)],
  });
}

/** The configured store; throws if the running daemon of this home uses another one. */
function place({ config, home }: LoadedConfig): StorePlace {
  const ours = storeName({ database: config.database, dataDir: home.dataDir });
  const state = daemonState(home);
  if (state.is === 'running' && state.record.storedIn !== ours) {
    throw new CallError(
      'conflict',
      `The running daemon keeps its data in ${state.record.storedIn}; the settings here name ${ours}.`,
      { fix: `Put the daemon's settings into ${home.envFile}, or give them here too.` },
    );
  }
  return { database: config.database, dataDir: home.dataDir, backupDir: home.backupDir };
}

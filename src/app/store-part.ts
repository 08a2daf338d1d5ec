import type { Home } from '#config/home/home.ts';
import { removeStartProgress, writeStartProgress } from '#config/home/start-progress.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { NewId } from '#core/ids.ts';
import type { Random } from '#core/random.ts';
import type { Store } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import { removeAbandonedBackups } from '#store/backup/unfinished-backups.ts';
import type { UpgradeProgress } from '#store/migrations/migrate.ts';
import { openStore } from '#store/open-store.ts';
import { settleUnfinishedRestore } from '#store/sqlite/file.ts';
import { openAuditKeys } from './audit-keys.ts';
import type { LifecyclePart } from './daemon/lifecycle.ts';
import { completeRestore } from './daemon/record-restore.ts';
import { writerId } from './writer-id.ts';

// What the other parts leave of the time of all: enough for a last commit on a slow disk.
const STOP_WITHIN_MS = 10_000;
const WRITE_MS = 200;

export function storePart(
  { config, home }: LoadedConfig,
  tools: { clock: Clock; newId: NewId; random: Random; log: Log },
): LifecyclePart<Store> {
  return {
    async start() {
      tidyBackups(home.backupDir, tools);
      if (config.database === '') settleUnfinishedRestore(home.dataDir);
      const auditKeys = openAuditKeys(home.auditKeysFile, tools.random, tools.log);
      const upgrade = reportUpgrade(home, tools);
      const store = await openStore({
        database: config.database,
        dataDir: home.dataDir,
        backupDir: home.backupDir,
        writerId: writerId(home.writerIdFile, tools.newId),
        auditHeadFile: home.auditHeadFile,
        auditKeys,
        clock: tools.clock,
        log: tools.log,
        onUpgrade: (progress) => upgrade.report(progress),
      }).finally(() => upgrade.end());
      try {
        const restore = await completeRestore({ config, home }, { store, auditKeys, ...tools });
        if (restore === 'completed') tools.log.warn('restore_completed');
      } catch (thrown) {
        await store.close();
        throw thrown;
      }
      return store;
    },
    stop: (store) => store.close(),
    stopWithinMs: STOP_WITHIN_MS,
  };
}

/** Tells programs that wait for this daemon how far the upgrade is, at most a few times a second. */
function reportUpgrade(home: Home, { clock, log }: { clock: Clock; log: Log }) {
  let last: UpgradeProgress | undefined;
  let writtenMs = Number.NEGATIVE_INFINITY;
  /** The upgrade continues without it. */
  function note(act: () => void): void {
    try {
      act();
    } catch (thrown) {
      log.warn('start_progress_not_written', { error: CallError.from(thrown).toJSON() });
    }
  }
  note(() => removeStartProgress(home));
  return {
    report(progress: UpgradeProgress): void {
      const nowMs = clock.monotonic();
      if (progress.step === last?.step && nowMs - writtenMs < WRITE_MS) return;
      if (progress.step !== last?.step) log.info('store_upgrade', { ...progress });
      last = progress;
      writtenMs = nowMs;
      note(() => writeStartProgress(home, { pid: process.pid, ...progress }));
    },
    end(): void {
      if (!last) return;
      note(() => removeStartProgress(home));
      log.info('store_upgraded');
    },
  };
}

/** The daemon starts also where a file cannot be removed. */
function tidyBackups(folder: string, { clock, log }: { clock: Clock; log: Log }): void {
  try {
    const files = removeAbandonedBackups(folder, clock.now());
    if (files > 0) log.info('abandoned_backups_removed', { files });
  } catch (thrown) {
    log.warn('abandoned_backups_not_removed', { error: CallError.from(thrown).toJSON() });
  }
}

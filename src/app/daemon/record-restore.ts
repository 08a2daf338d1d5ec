import { hash } from 'node:crypto';
import { OWNER } from '#auth/authenticator.ts';
import { createMetadata } from '#calls/request-metadata.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { createIds } from '#core/ids.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import { NO_LINK } from '#store/audit/chain.ts';
import { resetHeadFile } from '#store/audit/head-file.ts';
import type { RestoreSummary } from '#store/backup/maintenance.ts';
import { openStore } from '#store/open-store.ts';
import { writerId } from '../store-part.ts';
import { openAuditKeys } from '../audit-keys.ts';
import { systemRandom } from '../system.ts';

/**
 * Moves the recorded end of the audit back to that of the restored store, and leaves an audit row
 * that says so. The caller holds the lock of the home.
 */
export async function recordRestore(
  { config, home }: LoadedConfig,
  clock: Clock,
  { createdAt }: Pick<RestoreSummary, 'createdAt'>,
): Promise<void> {
  const newId = createIds(clock, systemRandom);
  const own = writerId(home.writerIdFile, newId);
  resetHeadFile(home.auditHeadFile, { writerId: own, ...NO_LINK });
  const store = await openStore({
    database: config.database,
    dataDir: home.dataDir,
    backupDir: home.backupDir,
    writerId: own,
    auditKeys: openAuditKeys(home.auditKeysFile, systemRandom),
    auditHeadFile: home.auditHeadFile,
    clock,
    log: SILENT,
  });
  try {
    await store.calls.record({
      reqId: newId('req'),
      at: clock.now(),
      principal: OWNER.principal,
      agent: null,
      door: 'cli',
      tool: 'store_restore',
      status: 'ok',
      errorClass: null,
      argsSha256: hash('sha256', createdAt),
      elapsedMs: 0,
      metadata: createMetadata(config, clock)(),
    });
  } finally {
    await store.close();
  }
}

/** The restore reports its own failures. */
const SILENT: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => SILENT,
};

import { hash } from 'node:crypto';
import { OWNER } from '#auth/authenticator.ts';
import { createMetadata } from '#calls/request-metadata.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { createIds, type NewId } from '#core/ids.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Store } from '#core/stores/store.ts';
import { auditHeadSeq } from '#store/backup/maintenance.ts';
import { removeRestoredMark, restoredFrom } from '#store/backup/restored.ts';
import { openStore } from '#store/open-store.ts';
import { openAuditKeys, type AuditKeysFile } from '../audit-keys.ts';
import { writerId } from '../writer-id.ts';
import { forgetRestore } from './unfinished-restore.ts';
import { systemRandom } from '../system.ts';

type RestoredHome = Pick<LoadedConfig, 'config' | 'home'>;

/** Opens the restored store, which moves the recorded end of the audit back, and completes the restore. */
export async function recordRestore(loaded: LoadedConfig, clock: Clock): Promise<void> {
  const { config, home } = loaded;
  const newId = createIds(clock, systemRandom);
  const auditKeys = openAuditKeys(home.auditKeysFile, systemRandom);
  const store = await openStore({
    database: config.database,
    dataDir: home.dataDir,
    backupDir: home.backupDir,
    writerId: writerId(home.writerIdFile, newId),
    auditKeys,
    auditHeadFile: home.auditHeadFile,
    clock,
    log: SILENT,
  });
  try {
    await completeRestore(loaded, { store, auditKeys, clock, newId });
  } finally {
    await store.close();
  }
}

/**
 * Completes a restore that has replaced the data: the audit keys get the heads of the restored chains, and an audit
 * row tells of it. Without a restore nothing happens. The caller holds the lock of the home.
 */
export async function completeRestore(
  { config, home }: RestoredHome,
  tools: {
    readonly store: Pick<Store, 'calls' | 'settings'>;
    readonly auditKeys: AuditKeysFile;
    readonly clock: Clock;
    readonly newId: NewId;
  },
): Promise<'completed' | 'none'> {
  const { store, auditKeys, clock, newId } = tools;
  const createdAt = await restoredFrom(store.settings);
  if (createdAt === undefined) return 'none';
  const { dataDir, backupDir } = home;
  const place = { database: config.database, dataDir, backupDir };
  await auditKeys.lower((writer) => auditHeadSeq(place, writer));
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
  await removeRestoredMark(store.settings);
  forgetRestore(home);
  return 'completed';
}

/** The restore reports its own failures. */
const SILENT: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => SILENT,
};

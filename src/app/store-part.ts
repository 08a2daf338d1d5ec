import type { LoadedConfig } from '#config/load.ts';
import type { Clock } from '#core/clock.ts';
import type { NewId } from '#core/ids.ts';
import type { Random } from '#core/random.ts';
import type { Store } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry.ts';
import { openStore } from '#store/open.ts';
import { openAuditKeys } from './audit-keys.ts';
import type { Part } from './lifecycle.ts';
import { writerId } from './writer-id.ts';

// A last commit on a slow disk is worth waiting for.
const STOP_WITHIN_MS = 30_000;

export function storePart(
  { config, home }: LoadedConfig,
  tools: { clock: Clock; newId: NewId; random: Random; log: Log },
): Part<Store> {
  return {
    start: () =>
      openStore({
        database: config.database,
        dataDir: home.dataDir,
        backupDir: home.backupDir,
        writerId: writerId(home.writerIdFile, tools.newId),
        auditKeys: openAuditKeys(home.auditKeysFile, tools.random, tools.log),
        clock: tools.clock,
        log: tools.log,
      }),
    stop: (store) => store.close(),
    stopWithinMs: STOP_WITHIN_MS,
  };
}

import { CallError } from '#core/errors/call-error.ts';
import type { Store } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import { readHeadFile } from './audit/head-file.ts';
import { readChainHead } from './audit/chain.ts';
import { newestKey, type AuditKeys } from './audit/keys.ts';
import { openAuditEnd, type AuditEnd } from './audit/audit-end.ts';
import { verifyAudit } from './audit/verify.ts';
import { createBreakerStore } from './tables/breakers.ts';
import { createCallStore } from './tables/calls.ts';
import { createClientStore } from './tables/clients.ts';
import { createConversationStore } from './tables/conversations.ts';
import type { Database } from './database.ts';
import { createFileIndexStore } from './tables/file-index.ts';
import { createFileStore } from './tables/files.ts';
import { createJobStore } from './tables/jobs.ts';
import type { UpgradeProgress } from './migrations/migrate.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { createPageStore } from './tables/pages.ts';
import { createPinStore } from './tables/pins.ts';
import { createResponseStore } from './tables/responses.ts';
import { createResultStore } from './tables/results.ts';
import { pruneExpired } from './tables/retention.ts';
import { countExpired, newestRowMs } from './tables/retention-queries.ts';
import { createSettingStore } from './tables/settings.ts';
import { createSqliteDatabase, snapshotSqlite } from './sqlite/database.ts';
import { prepareSqlite } from './sqlite/file.ts';
import { createUsageStore } from './tables/usage.ts';
import { validateValues } from './validate-values.ts';

export interface StoreOptions {
  /** A postgres:// URL; empty for SQLite under `dataDir`. */
  readonly database: string;
  readonly dataDir: string;
  /** Folder of the backup that precedes a migration. */
  readonly backupDir: string;
  /** The audit chain that this process writes. */
  readonly writerId: string;
  /** Keys of the proofs; without them the chain has none. */
  readonly auditKeys?: AuditKeys | undefined;
  /** The file that has the end of the chain outside of the database; without it a cut end is not found. */
  readonly auditHeadFile?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Called while an older store is upgraded. */
  readonly onUpgrade?: ((progress: UpgradeProgress) => void) | undefined;
  /** How long a statement in PostgreSQL or a commit in SQLite may take; default: 8 seconds. */
  readonly statementMs?: number;
}

/** Opens the store, and creates or migrates it first. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { db, end } = await openDatabase(options);
  const store = toStore(validateValues(db), options, end);
  await end.report(store.settings);
  return store;
}

async function openDatabase(options: StoreOptions): Promise<{ db: Database; end: AuditEnd }> {
  const { database: url, dataDir, backupDir, clock, log, statementMs } = options;
  if (url === '') {
    const file = await prepareSqlite({
      dataDir,
      backupDir,
      nowMs: clock.now(),
      clock,
      onProgress: options.onUpgrade,
    });
    const end = await openAuditEnd(options, (work) => snapshotSqlite(file, work));
    return {
      db: createSqliteDatabase({ file, writer: end.writer, clock, log, writeMs: statementMs }),
      end,
    };
  }
  // Imported late, because the driver costs 6 MB of memory.
  const [{ preparePostgres, snapshotPostgres }, { createPostgresDatabase }] = await Promise.all([
    import('./postgres/schema.ts'),
    import('./postgres/database.ts'),
  ]);
  await preparePostgres({ url, backupDir, nowMs: clock.now(), onProgress: options.onUpgrade });
  const end = await openAuditEnd(options, (work) => snapshotPostgres(url, work));
  const db = createPostgresDatabase({
    url,
    writer: end.writer,
    clock,
    log,
    ...(statementMs !== undefined && { statementMs }),
  });
  return { db, end };
}

const DAY_MS = 86_400_000;

function toStore(
  db: Database,
  { writerId, auditKeys, auditHeadFile, clock, log }: StoreOptions,
  end: AuditEnd,
): Store {
  const keys = () => auditKeys?.list() ?? [];
  const fileIndex = createFileIndexStore(db, clock);
  const { calls, saveKept, reportKept } = createCallStore(db, log);
  return {
    conversations: createConversationStore(db, clock),
    files: createFileStore(db, clock),
    fileIndex,
    calls,
    usage: createUsageStore(db),
    breakers: createBreakerStore(db, clock),
    jobs: createJobStore(db, clock),
    results: createResultStore(db, clock),
    responses: createResponseStore(db, clock),
    pages: createPageStore(db),
    pins: createPinStore(db, clock),
    clients: createClientStore(db, clock),
    settings: createSettingStore(db, clock),
    async health() {
      const { ok, detail } = await db.health();
      if (ok) await saveKept();
      const damage = db.damage();
      return {
        ok,
        kind: db.dialect,
        schemaVersion: MIGRATIONS.length,
        ...(detail !== undefined && { detail }),
        ...(damage && { damage }),
      };
    },
    failure: () => db.failure(),
    damage: () => db.damage(),
    checkPages: () => db.checkPages(),
    auditLosses: () => end.losses(),
    async verifyAudit() {
      // Before the snapshot, which then has every recorded row.
      const recorded = auditHeadFile === undefined ? undefined : readHeadFile(auditHeadFile);
      return db.snapshot((query) =>
        verifyAudit(query, { dialect: db.dialect, keys: keys(), recorded }),
      );
    },
    countExpired: (policy, atMs) => countExpired(db, policy, atMs),
    newestRowMs: () => newestRowMs(db),
    async prune(policy, atMs = clock.now()) {
      const removed = await pruneExpired(db, policy, atMs, newestKey(keys(), writerId));
      const { filesDays } = policy;
      const asked = filesDays > 0 ? await fileIndex.prune(atMs - filesDays * DAY_MS) : 0;
      return asked > 0 ? { ...removed, index_files: asked } : removed;
    },
    async close() {
      await saveKept();
      reportKept();
      try {
        const { seq } = await db.snapshot((query) => readChainHead(query, writerId));
        auditKeys?.recordHead(writerId, seq);
      } catch (thrown) {
        // A failing store is closed anyway; the next start records the row.
        log.warn('audit_head_not_stored', { error: CallError.from(thrown).toJSON() });
      }
      await db.close();
      await end.close();
    },
  };
}

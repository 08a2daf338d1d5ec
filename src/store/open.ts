import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Store } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry.ts';
import { readChainHead, type ChainWriter } from './audit-chain.ts';
import { newestKey, type AuditKeys } from './audit-key.ts';
import { verifyAudit } from './audit-verify.ts';
import { createBreakers } from './breakers.ts';
import { createCalls } from './calls.ts';
import { createClients } from './clients.ts';
import { createConversations } from './conversations.ts';
import type { Database, Query } from './database.ts';
import { createFiles } from './files.ts';
import { guardDatabase } from './guarded-database.ts';
import { createJobs } from './jobs.ts';
import { MIGRATIONS } from './migrations.ts';
import { createPins } from './pins.ts';
import { createResults } from './results.ts';
import { prune } from './retention.ts';
import { createSettings } from './settings.ts';
import { createSqliteDatabase, snapshotSqlite } from './sqlite-database.ts';
import { prepareSqlite } from './sqlite-file.ts';
import { createUsage } from './usage.ts';

export interface StoreOptions {
  /** A postgres:// URL; empty for SQLite under `dataDir`. */
  readonly database: string;
  readonly dataDir: string;
  /** Where a backup goes before a migration. */
  readonly backupDir: string;
  /** Whose audit chain this process writes. */
  readonly writerId: string;
  /** Without them the chain has no proofs. */
  readonly auditKeys?: AuditKeys | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens the store with today's schema, making or migrating it first. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const db = await openDatabase(options);
  return toStore(guardDatabase(db), options);
}

async function openDatabase(options: StoreOptions): Promise<Database> {
  const { database: url, dataDir, backupDir, clock, log } = options;
  if (url === '') {
    const file = await prepareSqlite({ dataDir, backupDir, nowMs: clock.now() });
    const writer = await writerOf(options, (work) => snapshotSqlite(file, work));
    return createSqliteDatabase({ file, writer, clock, log });
  }
  // The driver costs 6 MB of memory that a laptop need not spend.
  const [{ preparePostgres, snapshotPostgres }, { createPostgresDatabase }] = await Promise.all([
    import('./postgres-schema.ts'),
    import('./postgres-database.ts'),
  ]);
  await preparePostgres({ url, backupDir, nowMs: clock.now() });
  const writer = await writerOf(options, (work) => snapshotPostgres(url, work));
  return createPostgresDatabase({ url, writer, clock, log });
}

/** A writer that has no key gets one for its rows from now on. */
async function writerOf(
  { writerId, auditKeys }: Pick<StoreOptions, 'writerId' | 'auditKeys'>,
  snapshot: <T>(work: (query: Query) => Promise<T>) => Promise<T>,
): Promise<ChainWriter> {
  if (!auditKeys) return { writerId };
  const { seq } = await snapshot((query) => readChainHead(query, writerId));
  const { key } = newestKey(auditKeys.list(), writerId) ?? auditKeys.make(writerId, seq + 1);
  auditKeys.note(writerId, seq);
  return { writerId, key };
}

function toStore(db: Database, { writerId, auditKeys, clock, log }: StoreOptions): Store {
  const keys = () => auditKeys?.list() ?? [];
  return {
    conversations: createConversations(db, clock),
    files: createFiles(db, clock),
    calls: createCalls(db, log),
    usage: createUsage(db),
    breakers: createBreakers(db, clock),
    jobs: createJobs(db, clock),
    results: createResults(db, clock),
    pins: createPins(db, clock),
    clients: createClients(db, clock),
    settings: createSettings(db, clock),
    async health() {
      const { ok, detail } = await db.health();
      return {
        ok,
        kind: db.dialect,
        schemaVersion: MIGRATIONS.length,
        ...(detail !== undefined && { detail }),
      };
    },
    verifyAudit: () =>
      db.snapshot((query) => verifyAudit(query, { dialect: db.dialect, keys: keys() })),
    prune: (policy) => prune(db, policy, clock.now(), newestKey(keys(), writerId)),
    async close() {
      try {
        const { seq } = await db.snapshot((query) => readChainHead(query, writerId));
        auditKeys?.note(writerId, seq);
      } catch (thrown) {
        // A store that fails is closed all the same; the next start notes the row.
        log.warn('audit_head_not_noted', { error: CallError.from(thrown).toJSON() });
      }
      await db.close();
    },
  };
}

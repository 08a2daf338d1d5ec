import type { CallError } from '../errors/call-error.ts';
import type { BreakerStore } from './breakers.ts';
import type { CallStore } from './calls.ts';
import type { ClientStore } from './clients.ts';
import type { ConversationStore } from './conversations.ts';
import type { FileIndexStore } from './file-index.ts';
import type { FileStore } from './files.ts';
import type { JobStore } from './jobs.ts';
import type { PageStore } from './pages.ts';
import type { PinStore } from './pins.ts';
import type { ResponseStore } from './responses.ts';
import type { ResultStore } from './results.ts';
import type { SettingStore } from './settings.ts';
import type { UsageStore } from './usage.ts';

/** Days to keep; 0 keeps forever. */
export interface RetentionPolicy {
  readonly auditDays: number;
  readonly turnsDays: number;
  readonly attemptsDays: number;
  readonly usageDays: number;
  readonly jobsDays: number;
  readonly responsesDays: number;
  readonly filesDays: number;
}

export interface StoreHealth {
  readonly ok: boolean;
  readonly kind: 'sqlite' | 'postgres';
  readonly schemaVersion: number;
  readonly detail?: string;
  /** Damaged pages, which do not make the daemon unready: what is elsewhere is read and written. */
  readonly damage?: StoreDamage;
}

export interface StoreDamage {
  /** Tables with damaged pages; empty where only a failed read is known. */
  readonly tables: readonly string[];
  /** In milliseconds since 1970. */
  readonly foundAt: number;
}

/** Audit rows that were stored and are gone, as found by comparing the store with this home's record. */
export interface AuditLoss {
  readonly writerId: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** In milliseconds since 1970. */
  readonly foundAt: number;
  /** `replaced`: the last recorded row is there with other content. */
  readonly what: 'missing' | 'replaced';
}

export interface AuditReport {
  readonly chains: readonly {
    readonly writerId: string;
    readonly rows: number;
    /** The row before the first checked one: 0, or where retention removed older rows. */
    readonly fromSeq: number;
    readonly toSeq: number;
    /** Hash of the last row; recorded elsewhere, it proves later that the end was not removed. */
    readonly head: string;
    /** Where retention removed older rows; `key` if the removal is proven by a known key. */
    readonly cut?: { readonly until: string; readonly proof: 'key' | 'none' };
    /**
     * `key`: rows from here on are proven by a known key, and earlier ones are unchanged since.
     * `links`: no key of this chain is known, so recomputing all hashes would go unnoticed.
     */
    readonly proof: { readonly by: 'key'; readonly fromSeq: number } | { readonly by: 'links' };
    /** Absent if the chain is intact. */
    readonly fault?: { readonly seq: number; readonly what: string };
  }[];
  /** For each requested hash, whether an intact chain contains it. */
  readonly heads: readonly (
    | { readonly head: string; readonly is: 'missing' }
    | {
        readonly head: string;
        readonly is: 'found';
        readonly writerId: string;
        readonly seq: number;
      }
  )[];
}

export interface Store {
  readonly conversations: ConversationStore;
  readonly files: FileStore;
  readonly fileIndex: FileIndexStore;
  readonly calls: CallStore;
  readonly usage: UsageStore;
  readonly breakers: BreakerStore;
  readonly jobs: JobStore;
  readonly results: ResultStore;
  readonly responses: ResponseStore;
  readonly pages: PageStore;
  readonly pins: PinStore;
  readonly clients: ClientStore;
  readonly settings: SettingStore;
  health(): Promise<StoreHealth>;
  /** Why writes are expected to fail, as far as is known without asking the database. */
  failure(): CallError | undefined;
  /** The damaged pages that a check or a call has found. */
  damage(): StoreDamage | undefined;
  /** Checks all pages beside the calls, slowly. PostgreSQL has its own means. */
  checkPages(): Promise<StoreDamage | undefined>;
  /** The losses of audit rows that starts have found in this store, oldest first. */
  auditLosses(): readonly AuditLoss[];
  /** Verifies every audit chain from its anchor. */
  verifyAudit(): Promise<AuditReport>;
  /**
   * Removes what is older than the policy allows at `atMs` (default: now); returns the number of
   * removed rows per table.
   */
  prune(policy: RetentionPolicy, atMs?: number): Promise<Record<string, number>>;
  /** The number of rows per table that `prune` would remove; tables without any are left out. */
  countExpired(policy: RetentionPolicy, atMs: number): Promise<Record<string, number>>;
  /** When the newest call, attempt, usage or turn was recorded; undefined without any. */
  newestRowMs(): Promise<number | undefined>;
  /** Resolves when everything accepted is on disk. */
  close(): Promise<void>;
}

import type { BreakerStore } from './breakers.ts';
import type { CallStore } from './calls.ts';
import type { ClientStore } from './clients.ts';
import type { ConversationStore } from './conversations.ts';
import type { FileStore } from './files.ts';
import type { JobStore } from './jobs.ts';
import type { PinStore } from './pins.ts';
import type { ResultStore } from './results.ts';
import type { SettingStore } from './settings.ts';
import type { UsageStore } from './usage.ts';

/** Days to keep; 0 keeps for ever. */
export interface RetentionPolicy {
  readonly auditDays: number;
  readonly turnsDays: number;
  readonly attemptsDays: number;
  readonly usageDays: number;
  readonly jobsDays: number;
}

export interface StoreHealth {
  readonly ok: boolean;
  readonly kind: 'sqlite' | 'postgres';
  readonly schemaVersion: number;
  readonly detail?: string;
}

export interface AuditReport {
  readonly chains: readonly {
    readonly writerId: string;
    readonly rows: number;
    /** The row the walk began after: 0, or where retention cut. */
    readonly fromSeq: number;
    readonly toSeq: number;
    /** The hash of the last row: noted elsewhere, it proves later that the end was not cut off. */
    readonly head: string;
    /** Where retention removed the rows before; `key` if the removal itself is proven by a key that is known here. */
    readonly cut?: { readonly until: string; readonly proof: 'key' | 'none' };
    /**
     * `key`: from this row on each is proven by a key that is known here, and those before it are as they were then. `links`: no key of
     * this chain is known here, so whoever computes all hashes anew is not noticed.
     */
    readonly proof: { readonly by: 'key'; readonly fromSeq: number } | { readonly by: 'links' };
    /** Absent when the chain is whole. */
    readonly fault?: { readonly seq: number; readonly what: string };
  }[];
  /** Of each hash that was asked for, whether a chain that is whole so far has it. */
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
  readonly calls: CallStore;
  readonly usage: UsageStore;
  readonly breakers: BreakerStore;
  readonly jobs: JobStore;
  readonly results: ResultStore;
  readonly pins: PinStore;
  readonly clients: ClientStore;
  readonly settings: SettingStore;
  health(): Promise<StoreHealth>;
  /** Walks every audit chain from its anchor. */
  verifyAudit(): Promise<AuditReport>;
  /** Removes what is older than the policy allows; gives the rows removed per table. */
  prune(policy: RetentionPolicy): Promise<Record<string, number>>;
  /** Resolves when all that was accepted is on disk. */
  close(): Promise<void>;
}

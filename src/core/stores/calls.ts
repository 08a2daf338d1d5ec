import type { AccessDecision } from '../auth/decision.ts';
import type { ErrorClass } from '../errors/error-class.ts';
import type { ClientInfo } from '../calls/client-info.ts';
import type { ClientMetadata, RequestMetadata } from '../calls/request-metadata.schema.ts';

/**
 * Why a call was refused, needed consent, or was permitted to an agent: the codes of the reasons,
 * with the row or the scope of each.
 */
export interface AuditedDecision {
  readonly verdict: AccessDecision['verdict'];
  readonly because: readonly {
    readonly code: string;
    readonly row?: string;
    readonly scope?: string;
  }[];
}

/** The audit row of a call: caller, tool, time and outcome; never its content. */
export interface CallRecord {
  readonly reqId: string;
  /** When it ended. */
  readonly at: number;
  readonly principal: string;
  readonly agent: string | null;
  readonly door: string;
  readonly tool: string;
  readonly status: string;
  readonly errorClass: ErrorClass | null;
  /** Hex digest of the arguments, so that a call can be recognised but not read. */
  readonly argsSha256: string;
  readonly elapsedMs: number;
  readonly metadata: RequestMetadata;
  /** The program of the caller; absent where it did not name itself, and in rows from before 0.3. */
  readonly clientInfo?: ClientInfo;
  /** Absent where a client called what its scopes permit. */
  readonly access?: AuditedDecision;
  /** Metadata sent by the client. */
  readonly clientMetadata?: ClientMetadata;
  /** The wrapper through which the tool was called, or the tool that called it. */
  readonly via?: string;
  /** The call whose execution this one shared. */
  readonly sharedWith?: string;
}

export interface AttemptRecord {
  readonly reqId: string;
  readonly attempt: number;
  readonly at: number;
  readonly provider: string;
  readonly model: string;
  readonly elapsedMs: number;
  readonly outcome: 'ok' | ErrorClass;
  readonly next: string | null;
  /** The vendor's request id, for support tickets. */
  readonly vendorRequestId: string | null;
}

export interface UsageRecord {
  readonly reqId: string;
  readonly at: number;
  readonly principal: string;
  readonly tool: string;
  readonly provider: string;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  readonly costMicroUsd: number;
  /** Whether the price is known. */
  readonly priced: boolean;
  readonly estimated: boolean;
  /** The program of the caller, by its own name; default: unknown. */
  readonly client?: string;
  readonly clientVersion?: string;
}

export interface CallFilter {
  readonly principal?: string;
  readonly tool?: string;
  readonly status?: string;
  readonly reqId?: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly limit: number;
}

export interface CostFilter {
  readonly reqIds: readonly string[];
  readonly sinceMs: number;
  readonly untilMs: number;
}

export interface CallCosts {
  readonly attempts: readonly Pick<AttemptRecord, 'reqId' | 'provider' | 'model' | 'outcome'>[];
  readonly usage: readonly Pick<
    UsageRecord,
    'reqId' | 'provider' | 'model' | 'costMicroUsd' | 'priced'
  >[];
}

export interface CallStore {
  /**
   * Saves the row, its attempts and usage in one transaction, durable when it resolves; for calls
   * that change or cost something.
   */
  record(
    call: CallRecord,
    attempts?: readonly AttemptRecord[],
    usage?: readonly UsageRecord[],
  ): Promise<void>;
  /**
   * For read-only calls: queues the row for the next commit, at most 50 ms later. Returns a promise
   * to wait for only if the store is far behind; it never rejects.
   */
  recordLazily(call: CallRecord): Promise<void> | undefined;
  /**
   * Saves the cost of model requests as they happen, whatever becomes of the call. Durable when it
   * resolves, and never later than a call recorded after it. While the store fails it is kept in memory, and stored later.
   */
  recordUsage(attempts: readonly AttemptRecord[], usage: readonly UsageRecord[]): Promise<void>;
  /** Newest first. */
  list(filter: CallFilter): Promise<CallRecord[]>;
  attempts(reqId: string): Promise<AttemptRecord[]>;
  /** Attempts and usage of several calls that ran in this time. */
  costs(calls: CostFilter): Promise<CallCosts>;
}

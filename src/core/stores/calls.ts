import type { ErrorClass } from '../error-class.ts';
import type { ClientMetadata, RequestMetadata } from '../request-metadata.schema.ts';

/** The audit row of a call: who did what, when and how it ended; never what was said. */
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
  /** What the client itself said of when and where it is. */
  readonly clientMetadata?: ClientMetadata;
  /** The call whose work this one shared. */
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
  /** The vendor's own request id, for support tickets. */
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
  /** Whether somebody named a price. */
  readonly priced: boolean;
  readonly estimated: boolean;
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

export interface CallStore {
  /** The row, its attempts and its usage, together and durable when it resolves: for calls that change or cost something. */
  record(
    call: CallRecord,
    attempts?: readonly AttemptRecord[],
    usage?: readonly UsageRecord[],
  ): Promise<void>;
  /**
   * For read-only calls: joins the next commit, at most 50 ms later, and keeps nobody waiting. Only when the store is far
   * behind does it give something to wait for; it never rejects.
   */
  note(call: CallRecord): Promise<void> | undefined;
  /**
   * What asking models took, durable when it resolves, and never later than a call that is recorded after it: written as it
   * happens, whatever becomes of the call.
   */
  spend(attempts: readonly AttemptRecord[], usage: readonly UsageRecord[]): Promise<void>;
  /** Newest first. */
  list(filter: CallFilter): Promise<CallRecord[]>;
  attempts(reqId: string): Promise<AttemptRecord[]>;
}

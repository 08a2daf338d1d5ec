import type { Caller } from '../calls/call.ts';
import type { CallLoad } from '../calls/calls.ts';
import type { ErrorClass } from '../errors/error-class.ts';
import type { Notice } from '../messages/notices.ts';
import type { CallFilter, CallRecord } from '../stores/calls.ts';
import type { StoreHealth } from '../stores/store.ts';
import type { UsageAmounts } from '../stores/usage.ts';

/** Build and platform of this process; constant while it runs. */
export interface BuildFacts {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  /** Schema version of the store. */
  readonly schema: number;
  /** Supported MCP revisions, newest first. */
  readonly protocols: readonly string[];
}

export interface DaemonLoad extends CallLoad {
  readonly connections: number;
  readonly maxConnections: number;
}

export interface StoreFinding extends StoreHealth {
  /** Location for people, without a password. */
  readonly name: string;
}

export interface ProviderFinding {
  readonly name: string;
  readonly title: string;
  /** Whether it has a key or, for a self-hosted server, a URL. */
  readonly configured: boolean;
}

export interface BreakerFinding {
  readonly key: string;
  readonly state: string;
  /** Class of the failure that last opened it. */
  readonly errorClass?: ErrorClass;
  /** Why it is not closed; a clause without a full stop. */
  readonly because?: string;
}

/** A provider whose last known failure is a missing balance or quota. */
export interface ExhaustedBalance {
  readonly provider: string;
  readonly errorClass: 'billing' | 'quota';
}

/** Spending of the current UTC day. */
export interface SpendingFinding extends Pick<
  UsageAmounts,
  'calls' | 'costMicroUsd' | 'unpriced' | 'estimated'
> {
  readonly day: string;
  /** Remaining budget; absent without a limit. */
  readonly budget?: {
    readonly leftMicroUsd: number;
    /** A clause without a full stop. */
    readonly because: string;
  };
  readonly exhausted: readonly ExhaustedBalance[];
}

/** The outcome of one live probe. */
export interface ProbeFinding {
  readonly what: string;
  readonly ok: boolean;
  readonly elapsedMs: number;
  /** Why it failed. */
  readonly detail?: string;
}

export interface DoctorFinding {
  readonly id: string;
  readonly title: string;
  readonly status: 'ok' | 'warn' | 'fail' | 'off';
  readonly detail: string;
  readonly fix?: string;
}

export interface DoctorReport {
  readonly checks: readonly DoctorFinding[];
  readonly summary: string;
  /** The single most useful thing to do. */
  readonly next: string;
}

/**
 * Health, load and history of the daemon, for the tools that report them. Every promise settles in
 * bounded time.
 */
export interface Diagnostics {
  readonly build: BuildFacts;
  uptimeMs(): number;
  /** URL it listens on; undefined before it listens. */
  endpoint(): string | undefined;
  /**
   * Base URL of the OpenAI and Anthropic gateway; undefined before it listens or if it is disabled.
   */
  gateway(): string | undefined;
  load(): DaemonLoad;
  /** Tools this caller may use. */
  catalogue(caller: Caller): { readonly version: string; readonly names: readonly string[] };
  /** `known`: the last result, without a query. Never rejects. */
  store(look: 'known' | 'ask'): Promise<StoreFinding>;
  /** Runs all live probes. Never rejects. */
  probe(): Promise<readonly ProbeFinding[]>;
  providers(): readonly ProviderFinding[];
  breakers(): Promise<readonly BreakerFinding[]>;
  /** Spending of this caller; for the owner, of all callers. */
  spending(caller: Pick<Caller, 'principal'>): Promise<SpendingFinding>;
  /** Notices for the user, one sentence each. */
  notices(): readonly Notice[];
  /** Newest first. */
  calls(filter: CallFilter): Promise<readonly CallRecord[]>;
  /** The last lines of the daemon's log as they are stored, oldest first. They are redacted. */
  logLines(count: number): Promise<readonly string[]>;
  /**
   * Indexes of the lines that a regular expression matches, ascending. Rejects with `validation`
   * for the field `filter`.
   */
  search(
    pattern: string,
    lines: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly number[]>;
  diagnose(): Promise<DoctorReport>;
}

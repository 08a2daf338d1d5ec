import type { Caller } from './call.ts';
import type { CallLoad } from './calls.ts';
import type { ErrorClass } from './error-class.ts';
import type { Notice } from './messages/notices.ts';
import type { CallFilter, CallRecord } from './stores/calls.ts';
import type { StoreHealth } from './stores/store.ts';
import type { UsageAmounts } from './stores/usage.ts';

/** What this program is: constant for as long as it runs. */
export interface BuildFacts {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  /** Of the store it reads and writes. */
  readonly schema: number;
  /** Revisions of MCP, newest first. */
  readonly protocols: readonly string[];
}

export interface OpsLoad extends CallLoad {
  readonly connections: number;
  readonly maxConnections: number;
}

export interface StoreFinding extends StoreHealth {
  /** Where it is, for people; without a password. */
  readonly name: string;
}

export interface ProviderFinding {
  readonly name: string;
  readonly title: string;
  /** Whether there is a key or, for a server of one's own, an address. */
  readonly configured: boolean;
}

export interface BreakerFinding {
  readonly key: string;
  readonly state: string;
  /** Of the failure that it last opened for. */
  readonly errorClass?: ErrorClass;
}

/** A provider that wants money before it answers again, as far as is known. */
export interface ExhaustedBalance {
  readonly provider: string;
  readonly errorClass: 'billing' | 'quota';
}

/** What was spent today, in UTC. */
export interface SpendingFinding extends Pick<
  UsageAmounts,
  'calls' | 'costMicroUsd' | 'unpriced' | 'estimated'
> {
  readonly day: string;
  /** What may still be spent by whom it is about; absent without a limit. */
  readonly budget?: {
    readonly leftMicroUsd: number;
    /** A clause without a full stop. */
    readonly because: string;
  };
  readonly exhausted: readonly ExhaustedBalance[];
}

/** One thing that was really asked, and what came of it. */
export interface ProbeFinding {
  readonly what: string;
  readonly ok: boolean;
  readonly elapsedMs: number;
  /** Why not. */
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

/** What the daemon can tell of itself, for the tools that report on it. Every promise settles in bounded time. */
export interface Ops {
  readonly build: BuildFacts;
  uptimeMs(): number;
  /** Where it listens; nothing before it does. */
  endpoint(): string | undefined;
  /** Where it answers as OpenAI and Anthropic do; nothing before it listens, and where that is switched off. */
  gateway(): string | undefined;
  load(): OpsLoad;
  /** What this caller may use. */
  catalogue(caller: Caller): { readonly version: string; readonly names: readonly string[] };
  /** `known`: as it was found a moment ago, at no cost. Never rejects. */
  store(look: 'known' | 'ask'): Promise<StoreFinding>;
  /** Asks every part that can be asked. Never rejects. */
  probe(): Promise<readonly ProbeFinding[]>;
  providers(): readonly ProviderFinding[];
  breakers(): Promise<readonly BreakerFinding[]>;
  /** By this caller; the owner is told of everybody's. */
  spending(caller: Pick<Caller, 'principal'>): Promise<SpendingFinding>;
  /** What its user should know, a sentence each. */
  notices(): readonly Notice[];
  /** Newest first. */
  calls(filter: CallFilter): Promise<readonly CallRecord[]>;
  /** The last lines of the daemon's log as they are stored, oldest first. They are redacted. */
  logLines(count: number): Promise<readonly string[]>;
  /** The places of the lines that a regular expression matches, ascending. Rejects with a `validation` of `filter`. */
  search(
    pattern: string,
    lines: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly number[]>;
  diagnose(): Promise<DoctorReport>;
}

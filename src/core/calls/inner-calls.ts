import type { AccessDecision } from '../auth/decision.ts';
import type { AbortSignalLike } from '../net/abort.ts';
import type { Reason } from '../messages/reasons.ts';
import type { Tool } from '../tools/tool.ts';
import type { CallResult } from './calls.ts';

/** A call of another tool within a call. */
export interface InnerCall {
  readonly tool: string;
  readonly args: unknown;
  /** Cancels this call alone. */
  readonly signal?: AbortSignalLike;
  /** Can only shorten the time of the tool. */
  readonly timeoutMs?: number;
  /** What its requests to models may cost. */
  readonly maxCostMicroUsd?: number;
  /** The round of a tool loop, for the envelope. */
  readonly round?: number;
}

/**
 * Calls of other tools within a call. Each has the rights of the caller, its own limits and its own
 * audit row; its usage also counts in the envelope of the outer call.
 */
export interface InnerCalls {
  /** The tool of this name, if the caller may use it. */
  find(name: string): Tool | undefined;
  /** Why a tool that the caller might use is quarantined; undefined: it is not. */
  quarantineOf?(name: string): Reason | undefined;
  /** Whether the caller may use a tool, which may be gone. */
  decide(name: string): AccessDecision;
  /** The tools that the caller may use, sorted by name. */
  all(): readonly Tool[];
  /** Never rejects because of the tool: a failure is in the result. */
  run(call: InnerCall): Promise<CallResult>;
}

/** The outer call of an inner one. */
export interface OuterCall {
  readonly tool: string;
  /** 1 for a call within a call of a client. */
  readonly depth: number;
  readonly maxCostMicroUsd?: number;
}

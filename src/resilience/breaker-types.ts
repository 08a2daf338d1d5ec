import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Reason } from '#core/messages/reasons.ts';

/** What a breaker guards: one breaker per model, and one per account that pays for it. */
export interface BreakerTarget {
  readonly provider: string;
  readonly model: string;
}

/** A failed call as a breaker sees it. */
export interface BreakerFailure {
  readonly class: ErrorClass;
  readonly retryAfterMs?: number | undefined;
  /** `request`: the request caused it, so it says nothing about the model. */
  readonly dueTo?: 'request' | undefined;
  /**
   * The principal that may have caused it. Such a failure counts only when another principal has
   * seen one, too.
   */
  readonly doubtfulFor?: string | undefined;
}

/** Permission for one call, which reports its result. Only the first report counts. */
export interface BreakerPermit {
  success(): void;
  failure(error: BreakerFailure): void;
  /** Nothing was learned: the caller left, or the failure was its fault. */
  cancel(): void;
}

export type Acquisition =
  | { readonly is: 'granted'; readonly permit: BreakerPermit }
  | {
      readonly is: 'refused';
      readonly reason: Reason;
      readonly retryInMs: number;
      /** Whether a call may be forced through now or soon. */
      readonly isForcible: boolean;
    };

/** `forced`: also during a cool-down, as no other model is left. */
export type AcquireMode = 'usual' | 'forced';

export interface BreakerView {
  /** `kimi` for the account, `kimi/kimi-k3` for a model. */
  readonly key: string;
  readonly is: 'closed' | 'half_open' | 'open';
  /** Why it is not closed. */
  readonly reason?: Reason;
  /** Until it lets a probe through. */
  readonly retryInMs?: number;
  /** By `look`, if open: whether a call may be forced through when no other model is left. */
  readonly isForcible?: boolean;
  /** Of the rolling window. */
  readonly calls: number;
  readonly failures: number;
}

export interface Breakers {
  /** Never waits: a refused call goes to the next candidate. */
  tryAcquire(asked: BreakerTarget, mode?: AcquireMode): Acquisition;
  /** The worse of the model's and the account's breaker. Changes nothing. */
  look(asked: BreakerTarget): BreakerView;
  /** Breakers that are not closed, or have seen failures. */
  all(): readonly BreakerView[];
}

export interface BreakerRules {
  /** How far back failures count. */
  readonly windowMs: number;
  /** Requests in the window before a model is judged. */
  readonly minCalls: number;
  readonly failurePercent: number;
  /** This many failures in a row open it, whatever the share. */
  readonly failuresInRow: number;
  /** The first cool-down of a model; each further one is twice as long. */
  readonly coolOffMs: number;
  /** The longest cool-down. */
  readonly maxCoolOffMs: number;
  /** The first cool-down of an account whose key was refused. */
  readonly keyCoolOffMs: number;
  /** How many probes may run at once. */
  readonly probes: number;
  /** A probe without a result after this time has failed. */
  readonly probeLeaseMs: number;
}

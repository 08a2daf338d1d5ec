import type { ErrorClass } from '#core/error-class.ts';
import type { Reason } from '#core/messages/reasons.ts';

/** Who is asked: a breaker stands before the model, another before the account that pays. */
export interface Asked {
  readonly provider: string;
  readonly model: string;
}

/** What a breaker hears of a failure. */
export interface FailureFacts {
  readonly class: ErrorClass;
  readonly retryAfterMs?: number | undefined;
  /** `request`: what was asked for cannot be had, which says nothing about the model. */
  readonly dueTo?: 'request' | undefined;
  /** The principal that saw it, where it may be its own doing: counts only when another principal has seen such a failure, too. */
  readonly doubtfulFor?: string | undefined;
}

/** Leave to ask, until it is told how it went. The first word counts; what is said after it is not heard. */
export interface BreakerPermit {
  success(): void;
  failure(error: FailureFacts): void;
  /** Nothing was learned: the caller went away, or the fault was its own. */
  cancel(): void;
}

export type Acquisition =
  | { readonly is: 'granted'; readonly permit: BreakerPermit }
  | { readonly is: 'refused'; readonly reason: Reason; readonly retryInMs: number };

export interface BreakerView {
  /** `kimi` for the account, `kimi/kimi-k3` for a model. */
  readonly key: string;
  readonly is: 'closed' | 'half_open' | 'open';
  /** Why it is not closed. */
  readonly reason?: Reason;
  /** Until it lets a probe through. */
  readonly retryInMs?: number;
  /** Of the rolling window. */
  readonly calls: number;
  readonly failures: number;
}

export interface Breakers {
  /** Never waits: whoever is refused asks somebody else. */
  tryAcquire(asked: Asked): Acquisition;
  /** The worse of the two that stand before it. Changes nothing. */
  look(asked: Asked): BreakerView;
  /** Those that are not closed, or have seen failures. */
  all(): readonly BreakerView[];
}

import type { CallError } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';

/** What is done after a failed attempt. */
export type NextStep =
  /** The same model once more. */
  | { readonly do: 'retry'; readonly afterMs: number }
  /** The same model, with a prompt that is at most so long. */
  | { readonly do: 'shrink'; readonly contextTokens: number | undefined }
  | { readonly do: 'next'; readonly skip: 'model' | 'provider' }
  | { readonly do: 'stop' };

export interface FailureFacts {
  readonly error: CallError;
  /** How often this model was asked already, this time included. */
  readonly tries: number;
  /** Whether its prompt was made shorter already. */
  readonly hasShrunk: boolean;
  /** Whether a model beside the last resort could be asked instead. */
  readonly othersLeft: 'yes' | 'no';
  /** Whether the vendor answered at all. */
  readonly reached: 'yes' | 'no';
  readonly remainingMs: number;
  /** As the class asks for it; nothing when it must not be sent again. */
  readonly delayMs: number | undefined;
}

/** It is the account or the way to it: its other models would fail the same. */
const WHOLE_PROVIDER: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'auth',
  'billing',
  'quota',
  'not_configured',
]);

/** Longer than this nobody waits for one while others would answer at once. */
const SHORT_WAIT_MS = 2000;
/** Longer than this nobody waits at all: a quotation now is better. */
const LONG_WAIT_MS = 10_000;
const RETRIES = 1;
const RETRIES_OF_LAST = 2;
/** With less time than this another try is no try. */
const FAIR_MS = 1000;

/** Pure, so that it can be tested for every class and printed as a table. */
export function afterFailure(facts: FailureFacts): NextStep {
  const { error, tries, othersLeft, remainingMs, delayMs } = facts;
  if (!error.policy.fallback || remainingMs <= 0) return { do: 'stop' };
  if (error.class === 'context_length' && !facts.hasShrunk) {
    return { do: 'shrink', contextTokens: error.contextTokens };
  }
  // Its queue with us is full: whoever has room is asked instead.
  if (error.class === 'over_capacity' && othersLeft === 'yes') {
    return { do: 'next', skip: 'provider' };
  }
  const isLast = othersLeft === 'no';
  const maxWaitMs = Math.min(isLast ? LONG_WAIT_MS : SHORT_WAIT_MS, remainingMs - FAIR_MS);
  // Who was silent once has had its share of the time, unless nobody else is there to use the rest.
  const mayRetry =
    tries <= (isLast ? RETRIES_OF_LAST : RETRIES) && (error.class !== 'timeout' || isLast);
  if (delayMs !== undefined && mayRetry && delayMs <= maxWaitMs) {
    return { do: 'retry', afterMs: delayMs };
  }
  const isAway = error.class === 'network' && facts.reached === 'no';
  return { do: 'next', skip: WHOLE_PROVIDER.has(error.class) || isAway ? 'provider' : 'model' };
}

import type { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';

/** The decision after a failed attempt. */
export type NextStep =
  /** Retry the same model. */
  | { readonly do: 'retry'; readonly afterMs: number }
  /** Retry the same model with a shorter prompt. */
  | { readonly do: 'shrink'; readonly contextTokens: number | undefined }
  | { readonly do: 'next'; readonly skip: SkippedCandidates }
  | { readonly do: 'stop' };

/**
 * What is skipped beside the candidate: nothing, all models of its provider, or those until the
 * other providers were tried, with or without the candidate itself.
 */
export type SkippedCandidates = 'model' | 'provider' | 'others_first' | 'until_others_tried';

export interface AttemptFailure {
  readonly error: CallError;
  /** Attempts on this model, this one included. */
  readonly tries: number;
  /** Whether its prompt was shortened already. */
  readonly hasShrunk: boolean;
  /** Whether a candidate beside the extractive fallback is left. */
  readonly hasFallback: boolean;
  /** Whether another provider may have a free slot. */
  readonly hasOtherQueue: boolean;
  /** Whether the vendor responded at all. */
  readonly vendorResponded: boolean;
  readonly remainingMs: number;
  /** The retry delay of the error class; undefined when it must not be retried. */
  readonly delayMs: number | undefined;
}

/** Classes that concern the account, so that the provider's other models would fail as well. */
const WHOLE_PROVIDER: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'auth',
  'billing',
  'quota',
  'not_configured',
  // All models of a provider wait in one queue.
  'over_capacity',
]);

/** The longest retry delay while other candidates are left. */
const SHORT_WAIT_MS = 2000;
/** The longest retry delay of the last candidate; beyond it the extractive fallback is better. */
const LONG_WAIT_MS = 10_000;
const RETRIES = 1;
const RETRIES_OF_LAST = 2;
/** The minimum time for another attempt. */
const FAIR_MS = 1000;

/**
 * Decides what to do after a failed attempt. Pure, so that it can be tested for every class and
 * printed as a table.
 */
export function afterFailure(facts: AttemptFailure): NextStep {
  const { error, tries, hasFallback, remainingMs, delayMs } = facts;
  if (!error.policy.fallback || remainingMs <= 0) return { do: 'stop' };
  if (error.class === 'context_length' && !facts.hasShrunk) {
    return { do: 'shrink', contextTokens: error.contextTokens };
  }
  // Our own queue for this provider is long, so the other ones are tried first.
  if (error.class === 'over_capacity' && facts.hasOtherQueue) {
    return { do: 'next', skip: 'until_others_tried' };
  }
  const isLast = !hasFallback;
  const maxWaitMs = Math.min(isLast ? LONG_WAIT_MS : SHORT_WAIT_MS, remainingMs - FAIR_MS);
  // A model that timed out is retried only if it is the last candidate.
  const mayRetry =
    tries <= (isLast ? RETRIES_OF_LAST : RETRIES) && (error.class !== 'timeout' || isLast);
  if (delayMs !== undefined && mayRetry && delayMs <= maxWaitMs) {
    return { do: 'retry', afterMs: delayMs };
  }
  const isAway = error.class === 'network' && !facts.vendorResponded;
  if (WHOLE_PROVIDER.has(error.class) || isAway) return { do: 'next', skip: 'provider' };
  // A vendor that says nothing at all is probably silent for all of its models.
  const isSilent = error.class === 'timeout' && !facts.vendorResponded;
  return { do: 'next', skip: isSilent ? 'others_first' : 'model' };
}

import { ERROR_POLICY, type ErrorClass } from '#core/errors/error-class.ts';
import type { Random } from '#core/random.ts';
import { unitRandom } from './random-float.ts';

const DEFAULT_RETRY_AFTER_MS = 1000;
const FIRST_SPAN_MS = 250;
const MAX_SPAN_MS = 4000;

/**
 * The delay before a retry on the same model; undefined when a retry makes no sense. `attempt`
 * counts from 0. The backoff has full jitter, so that callers that failed together do not come back
 * together.
 */
export function retryDelayMs(
  error: {
    readonly class: ErrorClass;
    readonly retryAfterMs?: number | undefined;
    readonly retry?: 'never' | undefined;
  },
  attempt: number,
  random: Random,
): number | undefined {
  const { retry = ERROR_POLICY[error.class].retry } = error;
  const retryAfterMs = validRetryAfterMs(error.retryAfterMs);
  switch (retry) {
    case 'never':
      return undefined;
    case 'after':
      return retryAfterMs ?? DEFAULT_RETRY_AFTER_MS;
    case 'backoff': {
      const spanMs = Math.min(MAX_SPAN_MS, FIRST_SPAN_MS * 2 ** Math.max(0, attempt));
      // A vendor's Retry-After is respected.
      return Math.max(retryAfterMs ?? 0, unitRandom(random) * spanMs);
    }
  }
}

/** A vendor's Retry-After, if it is a valid duration. */
export function validRetryAfterMs(retryAfterMs: number | undefined): number | undefined {
  return retryAfterMs !== undefined && retryAfterMs >= 0 && Number.isFinite(retryAfterMs)
    ? retryAfterMs
    : undefined;
}

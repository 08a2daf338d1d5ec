import { ERROR_POLICY, type ErrorClass } from '#core/error-class.ts';
import type { Random } from '#core/random.ts';
import { unitRandom } from './unit-random.ts';

const UNTOLD_MS = 1000;
const FIRST_SPAN_MS = 250;
const MAX_SPAN_MS = 4000;

/**
 * How long to wait before the same model is asked the same again; nothing when that would be of no use. `attempt` counts
 * from 0. The whole span is drawn by lot, so that callers who failed together do not come back together.
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
  const toldMs = toldOf(error.retryAfterMs);
  switch (retry) {
    case 'never':
      return undefined;
    case 'after':
      return toldMs ?? UNTOLD_MS;
    case 'backoff': {
      const spanMs = Math.min(MAX_SPAN_MS, FIRST_SPAN_MS * 2 ** Math.max(0, attempt));
      // An overloaded vendor that names its time gets it.
      return Math.max(toldMs ?? 0, unitRandom(random) * spanMs);
    }
  }
}

/** A vendor's word, where it is a time at all. */
export function toldOf(retryAfterMs: number | undefined): number | undefined {
  return retryAfterMs !== undefined && retryAfterMs >= 0 && Number.isFinite(retryAfterMs)
    ? retryAfterMs
    : undefined;
}

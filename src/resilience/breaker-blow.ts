import { ERROR_POLICY } from '#core/error-class.ts';
import type { Blow } from './breaker.ts';
import type { BreakerRules } from './breaker-rules.ts';
import type { FailureFacts } from './breaker-words.ts';
import { toldOf } from './retry.ts';

const UNTOLD_MS = 1000;

/** What a failure means for the breaker of the model or of the account; nothing where it says nothing about it. */
export function blowOf(
  part: 'account' | 'model',
  error: FailureFacts,
  { maxCoolOffMs }: BreakerRules,
): Blow | undefined {
  if (error.dueTo === 'request') return undefined;
  const rule = ERROR_POLICY[error.class].breaker;
  const toldMs = toldOf(error.retryAfterMs);
  if (part === 'account') {
    if (rule !== 'open_key') return undefined;
    return { is: 'trips', class: error.class, atLeastMs: Math.min(toldMs ?? 0, maxCoolOffMs) };
  }
  // What the vendor no longer has, it will not have in a moment.
  if (error.class === 'not_found') return { is: 'rests', class: error.class, restMs: maxCoolOffMs };
  if (rule === 'open_until_retry_after')
    return { is: 'rests', class: error.class, restMs: Math.min(toldMs ?? UNTOLD_MS, maxCoolOffMs) };
  if (rule !== 'window') return undefined;
  return { is: 'counts', class: error.class, doubtfulFor: error.doubtfulFor };
}

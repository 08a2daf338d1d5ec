import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { BreakerFailure } from '#resilience/breaker-types.ts';

/** The principal that saw a failure, and its options that may have caused it. */
export interface FailureObserver {
  readonly principal: string;
  readonly stop?: readonly string[] | undefined;
  /** `short`: the caller set a timeout below the configured one. */
  readonly time?: 'short' | 'usual';
}

/**
 * The failure as breakers count it. A caller can cause an empty answer by its prompt, a truncated
 * one by stop sequences and a timeout by its own limit. Such failures of a client count only when
 * two principals have seen them; those of the owner, who is often the only caller, count at once.
 */
export function toBreakerFailure(
  { class: errorClass, retryAfterMs, dueTo }: CallError,
  { principal, stop = [], time = 'usual' }: FailureObserver,
): BreakerFailure {
  const isDoubtful =
    principal !== OWNER_PRINCIPAL &&
    (errorClass === 'empty_response' ||
      (errorClass === 'bad_response' && stop.length > 0) ||
      (errorClass === 'timeout' && time === 'short'));
  return {
    class: errorClass,
    retryAfterMs,
    dueTo,
    ...(isDoubtful && { doubtfulFor: principal }),
  };
}

import type { CallError } from '#core/call-error.ts';
import type { FailureFacts } from '#resilience/breaker-words.ts';

/** Who saw a failure, and what it wished for that may have brought it about. */
export interface SeenBy {
  readonly principal: string;
  readonly stop?: readonly string[] | undefined;
  /** `short`: the caller set a time of its own, and the model had less than the settings give it. */
  readonly time?: 'short' | 'usual';
}

/**
 * What a breaker hears. A caller can bring about an empty answer by its prompt, a cut one by where it is to end, and a late one by how
 * long it waits; nobody can tell those from failures of the model, so they count when two principals have seen them.
 */
export function failureFacts(
  { class: errorClass, retryAfterMs, dueTo }: CallError,
  { principal, stop = [], time = 'usual' }: SeenBy,
): FailureFacts {
  const isDoubtful =
    errorClass === 'empty_response' ||
    (errorClass === 'bad_response' && stop.length > 0) ||
    (errorClass === 'timeout' && time === 'short');
  return {
    class: errorClass,
    retryAfterMs,
    dueTo,
    ...(isDoubtful && { doubtfulFor: principal }),
  };
}

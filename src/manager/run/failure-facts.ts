import type { CallError } from '#core/call-error.ts';
import type { FailureFacts } from '#resilience/breaker-words.ts';

const OWNER = 'local';

/** Who saw a failure, and what it wished for that may have brought it about. */
export interface SeenBy {
  readonly principal: string;
  readonly stop?: readonly string[] | undefined;
  /** `short`: the caller set a time of its own, and the model had less than the settings give it. */
  readonly time?: 'short' | 'usual';
}

/**
 * What a breaker hears. A caller can cause an empty answer by its prompt, a cut one by where it is to end, and a late one by how
 * long it waits; nobody can tell those from failures of the model, so of a client they count when two principals have seen them.
 * Those of the owner, who pays for all of it and is often the only one, count at once.
 */
export function failureFacts(
  { class: errorClass, retryAfterMs, dueTo }: CallError,
  { principal, stop = [], time = 'usual' }: SeenBy,
): FailureFacts {
  const isDoubtful =
    principal !== OWNER &&
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

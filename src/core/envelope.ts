import type { CallError } from './call-error.ts';
import type { Envelope } from './envelope.schema.ts';

/** A failure in the shape of every answer: the same message at every door. */
export function failureEnvelope(
  error: CallError,
  about: Pick<Envelope, 'tool' | 'req_id'> & Partial<Pick<Envelope, 'attempt' | 'route'>>,
): Envelope {
  return {
    status: 'error',
    error_class: error.class,
    ...(error.provider !== undefined && { provider: error.provider }),
    ...(error.model !== undefined && { model: error.model }),
    attempt: 0,
    ...about,
    detail: error.fix === undefined ? error.message : `${error.message} ${error.fix}`,
    content: null,
  };
}

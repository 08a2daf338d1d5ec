import type { CallError } from './call-error.ts';
import type { Envelope } from './envelope.schema.ts';

/** A failure in parts, for surfaces that render it themselves. */
export function errorParts({
  message,
  reason,
  field,
  fixes,
}: CallError): NonNullable<Envelope['error']> {
  return {
    message,
    ...(reason && { reason: { code: reason.code, params: { ...reason.params } } }),
    ...(field !== undefined && { field }),
    ...(fixes.length > 0 && {
      fixes: fixes.map(({ kind, params }) => ({ kind, params: { ...params } })),
    }),
  };
}

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
    error: errorParts(error),
    content: null,
  };
}

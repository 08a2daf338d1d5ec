import type { CallError } from '../errors/call-error.ts';
import type { CallResult } from './calls.ts';
import type { Envelope } from './envelope.schema.ts';

/** The fields of an error, for surfaces that render it themselves. */
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

/** An error as an envelope, with the same message on every transport. */
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

/**
 * A failure as a call result, the same for every transport; `reqId` is empty if no call was
 * started.
 */
export function failureResult(error: CallError, tool: string, reqId = ''): CallResult {
  const envelope = failureEnvelope(error, { tool, req_id: reqId });
  return { envelope, text: envelope.detail ?? error.message, error };
}

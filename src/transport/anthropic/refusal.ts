import type { CallError } from '#core/call-error.ts';
import type { Refusal } from '../gateway/dialect.ts';
import { refusalHeaders } from '../gateway/refusal-headers.ts';
import { errorBody } from './error-body.ts';
import { errorRow } from './error-types.ts';

/** A failure before anything was answered. */
export function refusal(error: CallError, reqId: string): Refusal {
  return {
    status: errorRow(error).status,
    body: JSON.stringify({ type: 'error', ...errorBody(error, reqId) }),
    headers: refusalHeaders(error),
  };
}

import type { CallError } from '#core/call-error.ts';
import type { Refusal } from '../gateway/dialect.ts';
import { refusalHeaders } from '../gateway/refusal-headers.ts';
import { errorBody } from './error-body.ts';
import { errorWords } from './error-words.ts';

/** A failure before anything was answered. */
export function refusal(error: CallError, reqId: string): Refusal {
  return {
    status: errorWords(error).status ?? error.policy.status,
    body: JSON.stringify(errorBody(error, { req_id: reqId })),
    headers: refusalHeaders(error),
  };
}

import { CallError } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';
import {
  BAD_TRANSPORT,
  errorReply,
  HEADER_MISMATCH,
  INVALID_REQUEST,
  PARSE_ERROR,
  SESSION_NOT_FOUND,
  type RequestId,
} from '#mcp/json-rpc.ts';
import { BEARER_CHALLENGE } from '../http/bearer.ts';
import type { Exchange, HeaderList } from '../http/endpoint.ts';
import { CODED, NOT_UTF8 } from '../http/read-body.ts';

/** Why a request is not taken: the words of HTTP and of JSON-RPC for it. */
export interface Refusal {
  readonly status: number;
  readonly code: number;
  /** Names the header or field, and what to do. */
  readonly message: string;
  readonly class: ErrorClass;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly headers?: HeaderList;
}

export const JSON_TYPE = 'application/json';

export function refuse(exchange: Exchange, refusal: Refusal, id: RequestId | null = null): void {
  const { status, code, message } = refusal;
  exchange.error ??= new CallError(refusal.class, message);
  const data = { ...refusal.data, error_class: refusal.class };
  exchange.answer(status, JSON_TYPE, errorReply(id, code, message, data), refusal.headers);
}

export function badRequest(message: string, code = BAD_TRANSPORT, status = 400): Refusal {
  return { status, code, message, class: 'bad_request' };
}

/** The same words for a session that never was, has ended, or belongs to somebody else: nothing is told about those. */
export const NO_SUCH_SESSION: Refusal = {
  status: 404,
  code: SESSION_NOT_FOUND,
  message:
    'Session not found: it has ended or never was. Send initialize again, without Mcp-Session-Id.',
  class: 'not_found',
};

export function fromCallError(error: CallError): Refusal {
  const { message, fix, policy, retryAfterMs } = error;
  const headers: string[] = [];
  if (error.class === 'auth') headers.push('www-authenticate', BEARER_CHALLENGE);
  if (retryAfterMs !== undefined) {
    headers.push('retry-after', String(Math.ceil(retryAfterMs / 1000)));
  }
  return {
    status: error === CODED ? 415 : policy.status,
    code: codeOf(error),
    message: fix === undefined ? message : `${message} ${fix}`,
    class: error.class,
    headers,
  };
}

function codeOf(error: CallError): number {
  if (error === NOT_UTF8) return PARSE_ERROR;
  return error.class === 'bad_request' ? INVALID_REQUEST : error.policy.rpcCode;
}

/** Header and body disagree, or a header that must be there is not. */
export function mismatch(
  message: string,
  data: { readonly header: string | null; readonly body: string },
): Refusal {
  return { ...badRequest(message, HEADER_MISMATCH), data };
}

import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import {
  BAD_TRANSPORT,
  HEADER_MISMATCH,
  INVALID_REQUEST,
  PARSE_ERROR,
  rpcErrorResponse,
  SESSION_NOT_FOUND,
  type RequestId,
} from '#mcp/json-rpc.ts';
import type { HeaderList, HttpContext } from '../http/http-context.ts';
import { NOT_UTF8, UNSUPPORTED_ENCODING } from '../http/read-body.ts';
import { BEARER_CHALLENGE } from '../http/request-checks.ts';

/** An error response over HTTP: status, JSON-RPC code and message. */
export interface McpRefusal {
  readonly status: number;
  readonly code: number;
  /** Names the header or field, and the fix. */
  readonly message: string;
  readonly class: ErrorClass;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly headers?: HeaderList;
}

export const JSON_TYPE = 'application/json';

export function sendRefusal(
  context: HttpContext,
  refusal: McpRefusal,
  id: RequestId | null = null,
): void {
  const { status, code, message } = refusal;
  context.error ??= new CallError(refusal.class, message);
  const data = { ...refusal.data, error_class: refusal.class };
  context.answer(status, JSON_TYPE, rpcErrorResponse(id, code, message, data), refusal.headers);
}

export function badRequest(message: string, code = BAD_TRANSPORT, status = 400): McpRefusal {
  return { status, code, message, class: 'bad_request' };
}

/**
 * The same message for a session that never existed, has ended, or belongs to another caller, so
 * that nothing leaks.
 */
export const NO_SUCH_SESSION: McpRefusal = {
  status: 404,
  code: SESSION_NOT_FOUND,
  message:
    'Session not found: it has ended or never was. Send initialize again, without Mcp-Session-Id.',
  class: 'not_found',
};

export function fromCallError(error: CallError): McpRefusal {
  const { message, fix, policy, retryAfterMs } = error;
  const headers: string[] = [];
  if (error.class === 'auth') headers.push('www-authenticate', BEARER_CHALLENGE);
  if (retryAfterMs !== undefined) {
    headers.push('retry-after', String(Math.ceil(retryAfterMs / 1000)));
  }
  return {
    status: error === UNSUPPORTED_ENCODING ? 415 : policy.status,
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

/** A header and the body differ, or a required header is missing. */
export function headerMismatch(
  message: string,
  data: { readonly header: string | null; readonly body: string },
): McpRefusal {
  return { ...badRequest(message, HEADER_MISMATCH), data };
}

const PERHAPS_DONE = 'The request may already have taken effect.';

/** The error response to a request whose session, or daemon, ends before it is answered. */
export function unansweredReply(
  id: RequestId,
  { class: errorClass, message, fix, policy }: CallError,
) {
  const text = fix === undefined ? message : `${message} ${fix}`;
  return rpcErrorResponse(id, policy.rpcCode, text, { error_class: errorClass });
}

/** The error for a stopping daemon. `next`: what to do when the daemon is back. */
export function daemonStopped(next: string): CallError {
  return new CallError('interrupted', 'The daemon stopped before this was answered.', {
    fix: `${PERHAPS_DONE} When the daemon is back, ${next}.`,
  });
}

export const SESSION_DELETED = new CallError(
  'interrupted',
  'DELETE ended the session before its answer.',
  {
    fix: PERHAPS_DONE,
  },
);

export const SESSION_ENDED = new CallError(
  'interrupted',
  'The session ended before this was answered.',
  {
    fix: `${PERHAPS_DONE} Send initialize, then the request again.`,
  },
);

export const TOKEN_REVOKED = new CallError(
  'auth',
  'The token was revoked before the response was ready.',
);

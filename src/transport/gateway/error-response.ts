import { CallError } from '#core/errors/call-error.ts';
import type { Renderer } from '#core/messages/coded-message.ts';
import { createRenderer } from '#core/messages/render.ts';
import type { HeaderList, HttpContext } from '../http/http-context.ts';
import { BEARER_CHALLENGE } from '../http/request-checks.ts';
import { dialectHeaders, type GatewayDialect } from './dialect.ts';

/** Our names of request fields, with the names that a dialect has for them. */
export type FieldNames = ReadonlyMap<string, string>;

const NAME_END = /[.[]/;

/** The path of a field in the client's request. Errors from inside use our names of fields. */
export function fieldPath(field: string, names: FieldNames): string {
  const end = field.search(NAME_END);
  const own = end === -1 ? field : field.slice(0, end);
  const written = names.get(own);
  return written === undefined ? field : written + field.slice(own.length);
}

/** Creates a renderer of error texts that uses the field names of a dialect. */
export function createGatewayRenderer(names: FieldNames): Renderer {
  return createRenderer({
    argument(name, value) {
      const written = fieldPath(name, names);
      return value === undefined ? written : `${written}: ${value}`;
    },
    fixes: {
      list_models: () => 'list the models with GET /v1/models',
      run_doctor: () => 'see what is missing with: exai doctor',
    },
    commandFixes: ['run_doctor'],
  });
}

/** The message of an error with its fixes. */
export function formatGatewayError(error: CallError, renderer: Renderer): string {
  const fix = renderer.fixes(error.fixes);
  return fix === '' ? renderer.message(error) : `${renderer.message(error)} ${fix}`;
}

/** A longer wait is reported to the user instead of retried by the client. */
const MAX_WAIT_MS = 60_000;

/**
 * Whether a vendor rejected our key or request for lack of permission. It must not look like an
 * error of the client's key, or the client would make its user log in again.
 */
export function isUpstreamRefusal({ class: errorClass, provider }: CallError): boolean {
  return provider !== undefined && (errorClass === 'auth' || errorClass === 'permission');
}

/** The headers by which the libraries of both vendors decide whether to retry, and when. */
export function errorHeaders(error: CallError): HeaderList {
  const headers: string[] = [];
  if (error.class === 'auth' && !isUpstreamRefusal(error)) {
    headers.push('www-authenticate', BEARER_CHALLENGE);
  }
  const { retryAfterMs } = error;
  // Without it they decide by the status alone. Some wait as long as `retry-after` says, whatever
  // else they are told, so there is none where a retry is of no use.
  if (isFinal(error)) headers.push('x-should-retry', 'false');
  else if (retryAfterMs !== undefined) {
    const waitMs = Math.max(0, Math.ceil(retryAfterMs));
    headers.push('retry-after', String(Math.ceil(waitMs / 1000)), 'retry-after-ms', String(waitMs));
    headers.push('x-should-retry', 'true');
  }
  return headers;
}

function isFinal({ class: errorClass, policy, retry, retryAfterMs = 0 }: CallError): boolean {
  return (
    policy.retry === 'never' ||
    retry === 'never' ||
    // All candidates were tried already.
    errorClass === 'exhausted_fallback_chain' ||
    retryAfterMs > MAX_WAIT_MS
  );
}

const NO_HEADERS: HeaderList = [];
const NO_ATTEMPTS: HeaderList = ['x-exai-attempts', '0'];

/** Cancels the call of a client that has disconnected. */
export const CLIENT_DISCONNECTED = new CallError('cancelled', 'The client hung up.');
/** Replaces the result of a call whose credential was revoked meanwhile. */
export const KEY_REVOKED = new CallError(
  'auth',
  'The key was revoked before the response was ready.',
);

/** Sends an error in the format of the dialect. */
export function sendError(
  context: HttpContext,
  dialect: Pick<GatewayDialect, 'name' | 'errorResponse' | 'idHeader'>,
  error: CallError,
  attemptHeaders: HeaderList = NO_ATTEMPTS,
  moreHeaders: HeaderList = NO_HEADERS,
  /** The response that was paid for, as JSON, if only its record failed. */
  paid?: string,
): void {
  context.error = error;
  const { status, body, headers = NO_HEADERS } = dialect.errorResponse(error, context.reqId);
  context.answer(status, 'application/json', paid === undefined ? body : withAnswer(body, paid), [
    ...dialectHeaders(dialect, context),
    ...attemptHeaders,
    ...headers,
    ...moreHeaders,
  ]);
}

function withAnswer(errorBody: string, answer: string): string {
  const body = JSON.parse(errorBody) as { exai?: object };
  return JSON.stringify({ ...body, exai: { ...body.exai, answer: JSON.parse(answer) as unknown } });
}

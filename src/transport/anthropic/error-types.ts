import type { CallError } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { isRefusedToUs } from '../gateway/refusal-headers.ts';

/** Anthropic's words for what went wrong. */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'timeout_error'
  | 'api_error'
  | 'overloaded_error';

export interface ErrorRow {
  readonly status: number;
  readonly type: ErrorType;
}

function row(status: number, type: ErrorType): ErrorRow {
  return { status, type };
}

// prettier-ignore
export const ERROR_TYPES: Readonly<Record<ErrorClass, ErrorRow>> = {
  bad_request: row(400, 'invalid_request_error'),
  validation: row(400, 'invalid_request_error'),
  auth: row(401, 'authentication_error'),
  permission: row(403, 'permission_error'),
  not_found: row(404, 'not_found_error'),
  conflict: row(409, 'invalid_request_error'),
  too_large: row(413, 'request_too_large'),
  context_length: row(400, 'invalid_request_error'),
  rate_limit: row(429, 'rate_limit_error'),
  quota: row(429, 'rate_limit_error'),
  billing: row(402, 'billing_error'),
  budget: row(402, 'billing_error'),
  overloaded: row(529, 'overloaded_error'),
  timeout: row(504, 'timeout_error'),
  network: row(502, 'api_error'),
  provider_error: row(502, 'api_error'),
  bad_response: row(502, 'api_error'),
  empty_response: row(502, 'api_error'),
  content_filter: row(400, 'invalid_request_error'),
  cancelled: row(499, 'api_error'),
  interrupted: row(502, 'api_error'),
  not_configured: row(503, 'api_error'),
  over_capacity: row(529, 'overloaded_error'),
  breaker_open: row(529, 'overloaded_error'),
  exhausted_fallback_chain: row(502, 'api_error'),
  tool_error: row(500, 'api_error'),
  internal: row(500, 'api_error'),
};

const REFUSED_TO_US = row(502, 'api_error');

/** The row for this very failure. */
export function errorRow(error: CallError): ErrorRow {
  return isRefusedToUs(error) ? REFUSED_TO_US : ERROR_TYPES[error.class];
}

import type { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { ErrorResponse } from '../gateway/dialect.ts';
import {
  createGatewayRenderer,
  errorHeaders,
  fieldPath,
  formatGatewayError,
  isUpstreamRefusal,
  type FieldNames,
} from '../gateway/error-response.ts';
import type { AttemptSummary } from '../gateway/exai-extension.ts';
import type { JsonFields } from '../gateway/fields.ts';

/** The error types of Anthropic's API. */
type AnthropicErrorType =
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

interface AnthropicError {
  readonly status: number;
  readonly type: AnthropicErrorType;
}

function anthropicError(status: number, type: AnthropicErrorType): AnthropicError {
  return { status, type };
}

// prettier-ignore
export const ANTHROPIC_ERRORS: Readonly<Record<ErrorClass, AnthropicError>> = {
  bad_request: anthropicError(400, 'invalid_request_error'),
  validation: anthropicError(400, 'invalid_request_error'),
  auth: anthropicError(401, 'authentication_error'),
  permission: anthropicError(403, 'permission_error'),
  not_found: anthropicError(404, 'not_found_error'),
  conflict: anthropicError(409, 'invalid_request_error'),
  too_large: anthropicError(413, 'request_too_large'),
  context_length: anthropicError(400, 'invalid_request_error'),
  rate_limit: anthropicError(429, 'rate_limit_error'),
  quota: anthropicError(429, 'rate_limit_error'),
  billing: anthropicError(402, 'billing_error'),
  budget: anthropicError(402, 'billing_error'),
  overloaded: anthropicError(529, 'overloaded_error'),
  timeout: anthropicError(504, 'timeout_error'),
  network: anthropicError(502, 'api_error'),
  provider_error: anthropicError(502, 'api_error'),
  bad_response: anthropicError(502, 'api_error'),
  empty_response: anthropicError(502, 'api_error'),
  content_filter: anthropicError(400, 'invalid_request_error'),
  cancelled: anthropicError(499, 'api_error'),
  interrupted: anthropicError(502, 'api_error'),
  not_configured: anthropicError(503, 'api_error'),
  over_capacity: anthropicError(529, 'overloaded_error'),
  breaker_open: anthropicError(529, 'overloaded_error'),
  exhausted_fallback_chain: anthropicError(502, 'api_error'),
  tool_error: anthropicError(500, 'api_error'),
  internal: anthropicError(500, 'api_error'),
};

const UPSTREAM_REFUSAL = anthropicError(502, 'api_error');

/** Maps an error to Anthropic's type and status. */
function mapAnthropicError(error: CallError): AnthropicError {
  return isUpstreamRefusal(error) ? UPSTREAM_REFUSAL : ANTHROPIC_ERRORS[error.class];
}

const NAMES: FieldNames = new Map([
  ['prompt', 'messages'],
  ['max_output_tokens', 'max_tokens'],
  ['maxOutputTokens', 'max_tokens'],
  ['toolChoice', 'tool_choice'],
  ['responseFormat', 'output_config.format'],
  ['stop', 'stop_sequences'],
  ['max_cost_usd', 'exai.max_cost_usd'],
  ['fallback', 'exai.fallback'],
  ['prefer', 'exai.prefer'],
]);
const renderer = createGatewayRenderer(NAMES);

/** Anthropic's SDK then sends all messages, or throws its own error. */
const THREAD_UNSUPPORTED = {
  error_code: 'thread_unsupported_request',
  unsupported: ['thread'],
};

/** The error object of a response body or stream event, which adds `type`. */
export function anthropicErrorBody(
  error: CallError,
  reqId: string,
  attempts: readonly AttemptSummary[] = [],
): JsonFields {
  const { class: errorClass, provider, model, retryAfterMs } = error;
  const fix = renderer.fixes(error.fixes);
  const field = error.field === undefined ? undefined : fieldPath(error.field, NAMES);
  return {
    error: {
      type: mapAnthropicError(error).type,
      message: describeError(error, field),
      ...(error.reason?.code === 'thread_unsupported' && { details: THREAD_UNSUPPORTED }),
    },
    request_id: reqId,
    exai: {
      class: errorClass,
      req_id: reqId,
      ...(field !== undefined && { field }),
      ...(fix !== '' && { fix }),
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
      ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
      ...(attempts.length > 0 && { attempts }),
    },
  };
}

/** Coding agents compact their conversation only if an error begins with this text. */
const TOO_LONG = 'prompt is too long: ';

function describeError(error: CallError, field?: string) {
  const { class: errorClass, reason, contextTokens } = error;
  const message = formatGatewayError(error, renderer);
  if (errorClass === 'context_length') {
    const most =
      contextTokens === undefined ? '' : `more tokens than the ${contextTokens} maximum. `;
    return `${TOO_LONG}${most}${message}`;
  }
  // Anthropic's errors have no member for the field, so the message names it.
  const isNamed =
    field === undefined ||
    reason?.code === 'invalid_field' ||
    reason?.code === 'thread_unsupported';
  return isNamed ? message : `${field}: ${message}`;
}

/** The HTTP response for an error before a response has begun. */
export function anthropicErrorResponse(error: CallError, reqId: string): ErrorResponse {
  return {
    status: mapAnthropicError(error).status,
    body: JSON.stringify({ type: 'error', ...anthropicErrorBody(error, reqId) }),
    headers: errorHeaders(error),
  };
}

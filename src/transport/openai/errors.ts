import type { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Renderer } from '#core/messages/coded-message.ts';
import type { ErrorResponse } from '../gateway/dialect.ts';
import {
  createGatewayRenderer,
  errorHeaders,
  fieldPath,
  formatGatewayError,
  isUpstreamRefusal,
  type FieldNames,
} from '../gateway/error-response.ts';

/** The error fields of OpenAI's API for one of our error classes. */
interface OpenAiError {
  readonly type: string;
  readonly code: string;
  /** Replaces the status of the class, as clients recognise an invalid request by 400 only. */
  readonly status?: number;
}

function openAiError(type: string, code: string, status?: number): OpenAiError {
  return status === undefined ? { type, code } : { type, code, status };
}

// prettier-ignore
export const OPENAI_ERRORS: Record<ErrorClass, OpenAiError> = {
  bad_request: openAiError('invalid_request_error', 'invalid_request'),
  validation: openAiError('invalid_request_error', 'invalid_value', 400),
  auth: openAiError('invalid_request_error', 'invalid_api_key'),
  permission: openAiError('permission_error', 'insufficient_permissions'),
  not_found: openAiError('invalid_request_error', 'not_found'),
  conflict: openAiError('invalid_request_error', 'conflict'),
  too_large: openAiError('invalid_request_error', 'request_too_large'),
  context_length: openAiError('invalid_request_error', 'context_length_exceeded'),
  rate_limit: openAiError('rate_limit_error', 'rate_limit_exceeded'),
  quota: openAiError('insufficient_quota', 'insufficient_quota'),
  billing: openAiError('insufficient_quota', 'billing_not_active'),
  budget: openAiError('insufficient_quota', 'budget_exceeded'),
  overloaded: openAiError('server_error', 'overloaded'),
  timeout: openAiError('server_error', 'timeout'),
  network: openAiError('server_error', 'network'),
  provider_error: openAiError('server_error', 'provider_error'),
  bad_response: openAiError('server_error', 'bad_response'),
  empty_response: openAiError('server_error', 'empty_response'),
  content_filter: openAiError('invalid_request_error', 'content_filter', 400),
  cancelled: openAiError('invalid_request_error', 'cancelled'),
  interrupted: openAiError('server_error', 'interrupted'),
  not_configured: openAiError('server_error', 'not_configured'),
  over_capacity: openAiError('server_error', 'over_capacity'),
  breaker_open: openAiError('server_error', 'breaker_open'),
  exhausted_fallback_chain: openAiError('server_error', 'exhausted_fallback_chain'),
  tool_error: openAiError('server_error', 'tool_error'),
  internal: openAiError('server_error', 'internal'),
};

/** Maps an error to OpenAI's fields, with exceptions to the table. */
function mapOpenAiError(error: CallError): OpenAiError {
  const { class: errorClass, field, model } = error;
  const usual = OPENAI_ERRORS[errorClass];
  if (isUpstreamRefusal(error)) {
    const code = errorClass === 'auth' ? 'provider_key_refused' : usual.code;
    return openAiError('server_error', code, 502);
  }
  if (errorClass === 'not_found' && field === 'previous_response_id') {
    return openAiError(usual.type, 'previous_response_not_found', 400);
  }
  // Our own limit of calls at once is a rate limit to the client.
  if (errorClass === 'over_capacity' && field?.startsWith('limits.') === true)
    return openAiError('rate_limit_error', usual.code, 429);
  const isOfModel = field === 'model' || model !== undefined;
  if (errorClass === 'not_found' && isOfModel) return openAiError(usual.type, 'model_not_found');
  return usual;
}

const NAMES: FieldNames = new Map([
  ['prompt', 'messages'],
  ['max_output_tokens', 'max_completion_tokens'],
  ['maxOutputTokens', 'max_completion_tokens'],
  ['toolChoice', 'tool_choice'],
  ['responseFormat', 'response_format'],
  ['max_cost_usd', 'exai.max_cost_usd'],
  ['fallback', 'exai.fallback'],
  ['prefer', 'exai.prefer'],
]);

/** How errors name the fields of a request: those of our own names, and a renderer that uses them. */
interface ErrorNames {
  readonly names: FieldNames;
  readonly renderer: Renderer;
}

export function openAiErrorNames(names: FieldNames): ErrorNames {
  return { names, renderer: createGatewayRenderer(names) };
}

const CHAT_NAMES = openAiErrorNames(NAMES);

/** The request of an error. */
interface FailureContext {
  readonly req_id: string;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** Clients compact their conversation, or throw their own error, if a message begins with this. */
function contextLimit({ class: errorClass, contextTokens }: CallError): string {
  if (errorClass !== 'context_length') return '';
  return contextTokens === undefined
    ? "This model's maximum context length is exceeded. "
    : `This model's maximum context length is ${contextTokens} tokens. `;
}

/** The error body of OpenAI's API. Clients keep only `error`, so the class is in both members. */
export function openAiErrorBody(
  error: CallError,
  context: FailureContext,
  { names, renderer }: ErrorNames = CHAT_NAMES,
) {
  const { field, provider, model } = error;
  const { type, code } = mapOpenAiError(error);
  return {
    error: {
      message: `${contextLimit(error)}${formatGatewayError(error, renderer)}`,
      type,
      // OpenAI names no parameter where the key is wrong.
      param: field === undefined || error.class === 'auth' ? null : fieldPath(field, names),
      code,
      class: error.class,
      req_id: context.req_id,
    },
    exai: {
      class: error.class,
      ...context,
      provider: context.provider ?? provider,
      model: context.model ?? model,
    },
  };
}

/** The HTTP response for an error before a response has begun. */
export function openAiErrorResponse(
  error: CallError,
  reqId: string,
  names: ErrorNames = CHAT_NAMES,
): ErrorResponse {
  return {
    status: mapOpenAiError(error).status ?? error.policy.status,
    body: JSON.stringify(openAiErrorBody(error, { req_id: reqId }, names)),
    headers: errorHeaders(error),
  };
}

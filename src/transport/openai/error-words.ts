import type { CallError } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { isRefusedToUs } from '../gateway/refusal-headers.ts';

/** What OpenAI's clients call a failure. */
export interface ErrorWords {
  readonly type: string;
  readonly code: string;
  /** In place of the status of the class: clients know a request that is at fault by 400 alone. */
  readonly status?: number;
}

function words(type: string, code: string, status?: number): ErrorWords {
  return status === undefined ? { type, code } : { type, code, status };
}

// prettier-ignore
export const ERROR_WORDS: Record<ErrorClass, ErrorWords> = {
  bad_request: words('invalid_request_error', 'invalid_request'),
  validation: words('invalid_request_error', 'invalid_value', 400),
  auth: words('authentication_error', 'invalid_api_key'),
  permission: words('permission_error', 'insufficient_permissions'),
  not_found: words('invalid_request_error', 'not_found'),
  conflict: words('invalid_request_error', 'conflict'),
  too_large: words('invalid_request_error', 'request_too_large'),
  context_length: words('invalid_request_error', 'context_length_exceeded'),
  rate_limit: words('rate_limit_error', 'rate_limit_exceeded'),
  quota: words('insufficient_quota', 'insufficient_quota'),
  billing: words('insufficient_quota', 'billing_not_active'),
  budget: words('insufficient_quota', 'budget_exceeded'),
  overloaded: words('server_error', 'overloaded'),
  timeout: words('server_error', 'timeout'),
  network: words('server_error', 'network'),
  provider_error: words('server_error', 'provider_error'),
  bad_response: words('server_error', 'bad_response'),
  empty_response: words('server_error', 'empty_response'),
  content_filter: words('invalid_request_error', 'content_filter', 400),
  cancelled: words('invalid_request_error', 'cancelled'),
  interrupted: words('server_error', 'interrupted'),
  not_configured: words('server_error', 'not_configured'),
  over_capacity: words('server_error', 'over_capacity'),
  breaker_open: words('server_error', 'breaker_open'),
  exhausted_fallback_chain: words('server_error', 'exhausted_fallback_chain'),
  tool_error: words('server_error', 'tool_error'),
  internal: words('server_error', 'internal'),
};

/** The words for this very failure. */
export function errorWords(error: CallError): ErrorWords {
  const { class: errorClass, field, model } = error;
  const usual = ERROR_WORDS[errorClass];
  if (isRefusedToUs(error)) {
    const code = errorClass === 'auth' ? 'provider_key_refused' : usual.code;
    return words('server_error', code, 502);
  }
  const isOfModel = field === 'model' || model !== undefined;
  if (errorClass === 'not_found' && isOfModel) return words(usual.type, 'model_not_found');
  return usual;
}

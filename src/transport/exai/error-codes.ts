import type { ErrorClass } from '#core/error-class.ts';

/** The codes that clients of these frames know, by class. `error_class` beside it says the rest. */
const EXAI_CODES: Record<ErrorClass, string> = {
  bad_request: 'VALIDATION_ERROR',
  validation: 'VALIDATION_ERROR',
  auth: 'UNAUTHORIZED',
  permission: 'UNAUTHORIZED',
  not_found: 'TOOL_NOT_FOUND',
  conflict: 'EXEC_ERROR',
  too_large: 'EXEC_ERROR',
  context_length: 'PROVIDER_ERROR',
  rate_limit: 'PROVIDER_ERROR',
  quota: 'PROVIDER_ERROR',
  billing: 'PROVIDER_ERROR',
  budget: 'EXEC_ERROR',
  overloaded: 'PROVIDER_ERROR',
  timeout: 'TIMEOUT',
  network: 'PROVIDER_ERROR',
  provider_error: 'PROVIDER_ERROR',
  bad_response: 'PROVIDER_ERROR',
  empty_response: 'PROVIDER_ERROR',
  content_filter: 'PROVIDER_ERROR',
  cancelled: 'CANCELLED',
  interrupted: 'EXEC_ERROR',
  not_configured: 'EXEC_ERROR',
  over_capacity: 'OVER_CAPACITY',
  breaker_open: 'PROVIDER_ERROR',
  exhausted_fallback_chain: 'PROVIDER_ERROR',
  tool_error: 'EXEC_ERROR',
  internal: 'EXEC_ERROR',
};

/** A call that ran has found its tool: what was not there is something else. */
export function codeOf(errorClass: ErrorClass, got: 'admitted' | 'refused'): string {
  return errorClass === 'not_found' && got === 'admitted' ? 'NOT_FOUND' : EXAI_CODES[errorClass];
}

/** Statuses of a tool that clients expect as an error, in capitals. */
const RAISED = new Set(['code_too_large', 'error', 'execution_error', 'resend_prompt']);

export function raisedCode(status: string): string | undefined {
  return RAISED.has(status) ? status.toUpperCase() : undefined;
}

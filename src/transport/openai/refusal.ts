import type { CallError } from '#core/call-error.ts';
import type { Refusal } from '../gateway/dialect.ts';
import { errorBody } from './error-body.ts';
import { ERROR_WORDS } from './error-words.ts';

/** A client whose own key is good must not take a vendor's refusal for its own. */
const VENDOR_REFUSED = 502;
/** Longer than this a client had better tell its user than sleep. */
const MAX_WAIT_MS = 60_000;

/** A failure before anything was answered. */
export function refusal(error: CallError, reqId: string): Refusal {
  const { policy, provider, retryAfterMs } = error;
  const headers: string[] = [];
  const isAuth = error.class === 'auth';
  const isVendors = isAuth && provider !== undefined;
  if (isAuth && !isVendors) headers.push('www-authenticate', 'Bearer');
  if (retryAfterMs !== undefined) {
    const waitMs = Math.max(0, Math.ceil(retryAfterMs));
    headers.push('retry-after', String(Math.ceil(waitMs / 1000)), 'retry-after-ms', String(waitMs));
  }
  // Clients repeat by status alone, and everybody who could help was asked already.
  if (isFinal(error)) headers.push('x-should-retry', 'false');
  return {
    status: isVendors ? VENDOR_REFUSED : (ERROR_WORDS[error.class].status ?? policy.status),
    body: JSON.stringify(errorBody(error, { req_id: reqId })),
    headers,
  };
}

function isFinal({ class: errorClass, policy, retryAfterMs = 0 }: CallError): boolean {
  return (
    policy.retry === 'never' ||
    errorClass === 'exhausted_fallback_chain' ||
    retryAfterMs > MAX_WAIT_MS
  );
}

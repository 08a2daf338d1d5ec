import type { CallError } from '#core/call-error.ts';
import { BEARER_CHALLENGE } from '../http/bearer.ts';
import type { HeaderList } from '../http/endpoint.ts';

/** Longer than this a client had better tell its user than sleep. */
const MAX_WAIT_MS = 60_000;

/**
 * Whether a vendor refused us. The key of the client is good then, and a client that took it for its own fault would have its user
 * log in again.
 */
export function isRefusedToUs({ class: errorClass, provider }: CallError): boolean {
  return provider !== undefined && (errorClass === 'auth' || errorClass === 'permission');
}

/** The header fields by which the libraries of both vendors decide whether to ask again, and when. */
export function refusalHeaders(error: CallError): HeaderList {
  const headers: string[] = [];
  if (error.class === 'auth' && !isRefusedToUs(error)) {
    headers.push('www-authenticate', BEARER_CHALLENGE);
  }
  const { retryAfterMs } = error;
  if (retryAfterMs !== undefined) {
    const waitMs = Math.max(0, Math.ceil(retryAfterMs));
    headers.push('retry-after', String(Math.ceil(waitMs / 1000)), 'retry-after-ms', String(waitMs));
  }
  // Otherwise they go by the status alone, and sleep for as long as they are told.
  if (isFinal(error)) headers.push('x-should-retry', 'false');
  return headers;
}

function isFinal({ class: errorClass, policy, retryAfterMs = 0 }: CallError): boolean {
  return (
    policy.retry === 'never' ||
    // Everybody who could help was asked already.
    errorClass === 'exhausted_fallback_chain' ||
    retryAfterMs > MAX_WAIT_MS
  );
}

import type { CallError } from '#core/call-error.ts';
import type { Refusal } from '../gateway/dialect.ts';
import { errorRow, writeError } from './error-words.ts';

/** Longer than this a client had better tell its user. */
const MAX_WAIT_MS = 60_000;

/** A failure as an answer of HTTP. */
export function writeRefusal(error: CallError, reqId: string): Refusal {
  const { status } = errorRow(error);
  const headers: string[] = [];
  if (status === 401) headers.push('www-authenticate', 'Bearer');
  // Clients would otherwise try again by the status alone, and sleep for as long as they are told.
  // When the chain is exhausted, everybody who could help was asked already.
  const isTried = error.class === 'exhausted_fallback_chain';
  if (error.policy.retry === 'never' || isTried || (error.retryAfterMs ?? 0) > MAX_WAIT_MS) {
    headers.push('x-should-retry', 'false');
  }
  if (error.retryAfterMs !== undefined) {
    headers.push('retry-after', String(Math.max(0, Math.ceil(error.retryAfterMs / 1000))));
  }
  return {
    status,
    body: JSON.stringify({ type: 'error', ...writeError(error, reqId) }),
    headers,
  };
}

import type { CallError } from '../errors/call-error.ts';
import { codedError } from '../errors/coded-error.ts';
import { reason } from '../messages/reasons.ts';

/** The store is probed this often while it fails. */
const STORE_RETRY_MS = 1000;

/** Refuses work that cannot be stored now, before it costs anything. */
export function storeRefusal(
  tool: string,
  undone: 'run' | 'queued',
  failure: CallError,
): CallError {
  const { class: errorClass, fixes, policy } = failure;
  const why = reason('not_storable', { tool, undone, failure: failure.message });
  return codedError(errorClass, why, {
    fixes,
    cause: failure,
    ...(policy.retry !== 'never' && { retryAfterMs: STORE_RETRY_MS }),
  });
}

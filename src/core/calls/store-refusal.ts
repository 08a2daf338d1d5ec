import { CallError } from '../errors/call-error.ts';

/** The store is probed this often while it fails. */
const STORE_RETRY_MS = 1000;

/** Refuses work that cannot be stored now, before it costs anything. */
export function storeRefusal(because: string, failure: CallError): CallError {
  const { class: errorClass, fixes, policy } = failure;
  return new CallError(errorClass, `${because} ${failure.message}`, {
    fixes,
    cause: failure,
    ...(policy.retry !== 'never' && { retryAfterMs: STORE_RETRY_MS }),
  });
}

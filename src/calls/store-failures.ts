import type { CallResult } from '#core/calls/calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import { asksModels, type Tool } from '#core/tools/tool.ts';
import { toCallResult } from './call-result.ts';
import type { PendingCall } from './coalesced-call.ts';

/** How long after its deadline a call waits for its record. */
export const RECORD_GRACE_MS = 750;

export const STORE_SILENT = new CallError('timeout', 'The store did not answer in time.');

/** The store is probed this often while it fails. */
const STORE_RETRY_MS = 1000;

/**
 * Refuses a call that would have to be recorded while nothing can be stored, before it costs anything; tools that only read run.
 */
export function requireStore(tool: Tool, storeFailure?: () => CallError | undefined): void {
  if (tool.annotations.readOnlyHint && !asksModels(tool)) return;
  const failure = storeFailure?.();
  if (!failure) return;
  const message = `${tool.name} was not run, because its record cannot be stored. ${failure.message}`;
  const { class: errorClass, fixes, policy } = failure;
  throw new CallError(errorClass, message, {
    fixes,
    cause: failure,
    ...(policy.retry !== 'never' && { retryAfterMs: STORE_RETRY_MS }),
  });
}

/** The failure of a call that ran but could not be recorded; the caller must know both. */
export function unrecorded(
  thrown: unknown,
  { resolved, reqId }: PendingCall,
  result: CallResult,
): CallResult {
  const cause = CallError.from(thrown);
  const message = `${resolved.toolName} ran, but its record could not be stored. ${cause.message}`;
  const { envelope } = result;
  const error = new CallError(cause.class, message, {
    fix: 'Look whether it took effect before you send it again.',
    cause: thrown,
    // The same request would be paid for again.
    ...(envelope.usage && { retry: 'never' as const }),
  });
  const failure = toCallResult({ is: 'failure', error }, resolved.toolName, reqId, []);
  const { content: failed, ...failedEnvelope } = failure.envelope;
  const common = { ...envelope, ...failedEnvelope, attempt: envelope.attempt };
  if (result.error || result.inputRequired)
    return { ...failure, envelope: { ...common, content: failed } };
  // The result may have cost money, and this is the only copy.
  return { ...failure, text: `${failure.text}\n\n${result.text}`, envelope: common };
}

import type { CallResult } from '#core/calls/calls.ts';
import { storeRefusal } from '#core/calls/store-refusal.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { advice } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { CallRecord, CallStore } from '#core/stores/calls.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import { asksModels, type Tool } from '#core/tools/tool.ts';
import { toCallResult } from './call-result.ts';
import type { PendingCall } from './coalesced-call.ts';

/** How long after its deadline a call waits for its record. */
export const RECORD_GRACE_MS = 250;

export const STORE_SILENT = new CallError('timeout', 'The store did not answer in time.');

/**
 * Refuses a call that would have to be recorded while nothing can be stored, before it costs anything; tools that only read run.
 */
export function requireStore(tool: Tool, storeFailure?: () => CallError | undefined): void {
  if (tool.annotations.readOnlyHint && !asksModels(tool)) return;
  const failure = storeFailure?.();
  if (!failure) return;
  throw storeRefusal(tool.name, 'run', failure);
}

const RECORD_RETRY_MS = 1000;

/**
 * Stores the record of a call. No client waits for the call of a job, and its result is stored as soon as the store works, so
 * its record waits for that, too, until its deadline.
 */
export async function recordCall(
  { store, clock }: { readonly store: CallStore; readonly clock: Clock },
  { request, reqId, deadlineAt }: PendingCall,
  row: CallRecord,
): Promise<void> {
  const isOfJob = request.transport === 'job';
  for (let tries = 1; ; tries += 1) {
    try {
      // The answer to an earlier try may have been lost.
      if (tries > 1 && (await store.list({ reqId, limit: 1 })).length > 0) return;
      return await store.record(row);
    } catch (thrown) {
      const { policy } = CallError.from(thrown);
      const isLate = clock.monotonic() + RECORD_RETRY_MS > deadlineAt;
      if (!isOfJob || isLate || policy.retry === 'never') throw thrown;
      await sleep(clock, RECORD_RETRY_MS);
    }
  }
}

const LOOK_FIRST = advice('Look whether it took effect before you send it again.');

/** The failure of a call that ran but could not be recorded; the caller must know both. */
export function unrecorded(
  thrown: unknown,
  { resolved, reqId }: PendingCall,
  result: CallResult,
): CallResult {
  const cause = CallError.from(thrown);
  const { toolName: tool } = resolved;
  const why = reason('call_not_recorded', { tool, failure: cause.message });
  const { envelope } = result;
  // A tool that only reads or asks changed nothing that one could look at.
  const isReading = resolved.tool?.annotations.readOnlyHint === true;
  const error = codedError(cause.class, why, {
    fixes: isReading ? cause.fixes : [LOOK_FIRST, ...cause.fixes],
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

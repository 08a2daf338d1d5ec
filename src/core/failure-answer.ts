import type { CallError } from './call-error.ts';
import type { CallAnswer } from './calls.ts';
import { failureEnvelope } from './envelope.ts';

/** A failure as every door gives it; without an id when there was no call to begin with. */
export function failureAnswer(error: CallError, tool: string, reqId = ''): CallAnswer {
  const envelope = failureEnvelope(error, { tool, req_id: reqId });
  return { envelope, text: envelope.detail ?? error.message, error };
}

import type { CallError } from '#core/call-error.ts';
import type { CallAnswer } from '#core/calls.ts';
import { failureEnvelope } from '#core/envelope.ts';
import type { ToolAnswer } from '#core/tool.ts';

export type Outcome =
  | { readonly is: 'answer'; readonly answer: ToolAnswer }
  | { readonly is: 'failure'; readonly error: CallError };

/** The outside of what a tool gave, or of what went wrong: one shape for every door. */
export function toCallAnswer(outcome: Outcome, tool: string, reqId: string): CallAnswer {
  if (outcome.is === 'failure') {
    const { error } = outcome;
    const envelope = failureEnvelope(error, { tool, req_id: reqId });
    return { envelope, text: envelope.detail ?? error.message, error };
  }
  const { text, content = text, status = 'success', detail } = outcome.answer;
  const envelope = {
    status,
    tool,
    attempt: 0,
    req_id: reqId,
    ...(detail !== undefined && { detail }),
    content,
  };
  return { envelope, text };
}

import type { CallError } from '#core/call-error.ts';
import type { CallAnswer } from '#core/calls.ts';
import { failureAnswer } from '#core/failure-answer.ts';
import type { ToolAnswer } from '#core/tool.ts';

export type Outcome =
  | { readonly is: 'answer'; readonly answer: ToolAnswer }
  | { readonly is: 'failure'; readonly error: CallError };

/** The outside of what a tool gave, or of what went wrong: one shape for every door. */
export function toCallAnswer(outcome: Outcome, tool: string, reqId: string): CallAnswer {
  if (outcome.is === 'failure') return failureAnswer(outcome.error, tool, reqId);
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

import type { AskReport } from '#core/ask.ts';
import type { CallError } from '#core/call-error.ts';
import type { CallAnswer } from '#core/calls.ts';
import type { Envelope } from '#core/envelope.schema.ts';
import { failureAnswer } from '#core/failure-answer.ts';
import type { Asking, Questions } from '#core/question.ts';
import type { Continuation } from '#core/threads.ts';
import type { ToolAnswer } from '#core/tool.ts';
import { askedFacts, isDegraded, partialOf } from './asked.ts';

export type Outcome =
  | { readonly is: 'answer'; readonly answer: ToolAnswer }
  | { readonly is: 'asks'; readonly questions: Questions; readonly state: string }
  | { readonly is: 'failure'; readonly error: CallError };

export function isAsking<T extends object>(given: T | Asking): given is Asking {
  return 'asks' in given;
}

/** The outside of what a tool gave, or of what went wrong: one shape for every door. */
export function toCallAnswer(
  outcome: Outcome,
  tool: string,
  reqId: string,
  asked: readonly AskReport[],
): CallAnswer {
  if (outcome.is === 'failure') return failedAnswer(outcome.error, tool, reqId, asked);
  if (outcome.is === 'asks') return askingAnswer(outcome, tool, reqId);
  const { text, detail, notices, blocks, continuation, relays } = outcome.answer;
  if (relays) return { ...relays, envelope: { ...relays.envelope, req_id: reqId } };
  const { status = isDegraded(asked) ? 'degraded' : 'success' } = outcome.answer;
  // Blocks alone leave nothing to say as data.
  const { content = blocks && text === '' ? null : text } = outcome.answer;
  const { provider, model, attempt = 0, usage, route } = askedFacts(asked);
  const envelope: Envelope = {
    status,
    tool,
    attempt,
    req_id: reqId,
    provider,
    model,
    usage,
    route,
    detail,
    ...(notices && notices.length > 0 && { notice_data: [...notices] }),
    content,
    continuation: continuation && told(continuation),
  };
  return blocks ? { envelope, text, blocks } : { envelope, text };
}

function told({ id, remainingTurns, note }: Continuation) {
  return { id, remaining_turns: remainingTurns, note };
}

/** Whoever was asked, and what had come of the answer, is there although it failed. */
function failedAnswer(
  error: CallError,
  tool: string,
  reqId: string,
  asked: readonly AskReport[],
): CallAnswer {
  const answer = failureAnswer(error, tool, reqId);
  if (asked.length === 0) return answer;
  const content = partialOf(asked) ?? null;
  return { ...answer, envelope: { ...answer.envelope, ...askedFacts(asked), content } };
}

function askingAnswer(
  { questions, state }: Extract<Outcome, { is: 'asks' }>,
  tool: string,
  reqId: string,
): CallAnswer {
  const text = `${tool} needs an answer before it can go on.`;
  return {
    envelope: {
      status: 'input_required',
      tool,
      attempt: 0,
      req_id: reqId,
      detail: text,
      content: null,
    },
    text,
    asks: { questions, state },
  };
}

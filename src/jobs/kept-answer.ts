import { CallError, type ErrorJson } from '#core/call-error.ts';
import type { CallAnswer } from '#core/calls.ts';
import { failureAnswer } from '#core/failure-answer.ts';
import type { Json } from '#core/json.ts';
import type { JobOutcome } from '#core/stores/jobs.ts';

/** How a job ended, as it is kept. What is no JSON is a failure of the tool. */
export function toOutcome(answer: CallAnswer): JobOutcome {
  try {
    return outcomeOf(answer);
  } catch (thrown) {
    const { tool, req_id: reqId } = answer.envelope;
    return outcomeOf(failureAnswer(CallError.from(thrown), tool, reqId));
  }
}

function outcomeOf({ error, ...answer }: CallAnswer): JobOutcome {
  const result = JSON.parse(JSON.stringify(answer)) as Json;
  return error ? { status: 'failed', error: error.toJSON(), result } : { status: 'done', result };
}

/** As it came out of the store; nothing where there is none, or none that can be read. */
export function readAnswer(result: Json, error: ErrorJson | null): CallAnswer | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const answer = result as unknown as CallAnswer;
  if (typeof answer.text !== 'string' || typeof answer.envelope !== 'object') return undefined;
  return error ? { ...answer, error: CallError.fromJSON(error) } : answer;
}

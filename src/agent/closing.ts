import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { LoopEnd } from '#core/llm/tool-loop.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';

/** Why the model has to answer without a further call, or why the loop ended without an answer. */
export interface Closing {
  readonly end: Exclude<LoopEnd, 'answered' | 'calls_returned'>;
  readonly reason: Reason;
}

/** The call of a round that was repeated most often with the same result. */
export interface RepeatedCall {
  readonly tool: string;
  readonly times: number;
}

interface LoopProgress {
  readonly round: number;
  readonly maxRounds: number;
  readonly calls: number;
  readonly maxCalls: number;
  readonly repeated: RepeatedCall | undefined;
  readonly time: 'left' | 'over';
}

/** The same call with the same result: the model is told, and at this count it has to answer. */
const MAX_REPEATS = 3;
const ANSWER_NOW = 'No further tool can be called. Answer now with what is known.';

/** Whether the next answer must be the last. */
export function closingAfter(progress: LoopProgress): Closing | undefined {
  const { round, maxRounds, calls, maxCalls, repeated, time } = progress;
  if (repeated && repeated.times >= MAX_REPEATS) {
    return { end: 'calls_repeated', reason: reason('loop_calls_repeated', repeated) };
  }
  if (round >= maxRounds) {
    return { end: 'rounds_used', reason: reason('loop_rounds_used', { max: maxRounds }) };
  }
  if (calls >= maxCalls) {
    return { end: 'calls_used', reason: reason('loop_calls_used', { max: maxCalls }) };
  }
  return time === 'over' ? timeUsed() : undefined;
}

/** What the model reads after the results of a round. */
export function noteToModel(
  closing: Closing | undefined,
  repeated: RepeatedCall | undefined,
): string | undefined {
  if (closing) return `${asSentence(baseRenderer.reason(closing.reason))} ${ANSWER_NOW}`;
  return repeated && asSentence(baseRenderer.reason(reason('loop_call_repeated', repeated)));
}

/** How a failed ask ends the loop. */
export function closingOfFailure(
  { class: errorClass }: CallError,
  about: { readonly spentMicroUsd: number; readonly rounds: number; readonly closing?: Closing },
): Closing {
  const { spentMicroUsd, rounds, closing } = about;
  if (errorClass === 'budget') {
    return { end: 'budget_used', reason: reason('loop_budget_used', { spentMicroUsd }) };
  }
  if (errorClass === 'timeout') return timeUsed();
  return closing ?? { end: 'model_failed', reason: reason('loop_model_failed', { rounds }) };
}

/** No time is left for another call, or the answer would have none. */
export function timeIsOver(): CallError {
  return codedError('timeout', timeUsed().reason);
}

export function timeUsed(): Closing {
  return { end: 'time_used', reason: reason('loop_time_used') };
}

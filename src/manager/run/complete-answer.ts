/** Whether an interrupted answer was complete already, as models that were asked to continue it show. */
import { notice } from '#core/messages/notices.ts';
import { isInCode } from '#resilience/continuation/seam-blanks.ts';
import type { PlannedModel } from '../route/plan.ts';
import type { AnsweredAttempt } from './attempt.ts';
import type { AttemptResult } from './handle-outcome.ts';
import type { RunContext } from './run-plan.ts';
import { addNotices, emitHeldBack, remainingCandidates, type RunState } from './run-state.ts';

/**
 * The interrupted text as the answer, if this empty continuation shows that it is complete. One empty
 * answer proves little, as an overloaded vendor sends one, too. So it takes one of these:
 *
 * - The model said so, as it was asked to: it repeated the anchor and stopped. The text must also end
 *   with a sentence.
 * - Models of two providers have nothing to add to the same text. Two models of one provider prove as
 *   little as one: an overloaded vendor sends empty answers for all of its models.
 *
 * If the text ends with a sentence and no other model can be asked, one empty answer is enough: see
 * `acceptedAtEnd`. A text that shows that it is not complete is never accepted, and a model that only
 * thought has not answered.
 */
export function completeAnswer(
  result: AttemptResult,
  state: RunState,
  run: RunContext,
): AnsweredAttempt | undefined {
  if (!hasNothingToAdd(result, state)) return undefined;
  const { candidate } = result.candidateState;
  const { emittedText } = state;
  const earlier = state.nothingToAdd.filter(({ chars }) => chars === emittedText.length);
  state.nothingToAdd = [...earlier, { candidate, chars: emittedText.length }];
  const isEnd = endsSentence(emittedText + state.heldBack);
  const isSecond = earlier.some(({ candidate: { provider } }) => provider !== candidate.provider);
  const isSaid = isEnd && result.call.continuation === 'anchor_only';
  const isLast = isEnd && !hasOtherProvider(state, candidate.provider);
  if (isSecond || isSaid || isLast) return accept(result, state, run);
  if (isEnd) state.acceptedAtEnd = answerOf(result, state);
  return undefined;
}

function hasNothingToAdd(
  { call: { outcome } }: AttemptResult,
  { emittedText, heldBack, lostCall }: RunState,
): boolean {
  if (outcome.is !== 'failed' || outcome.error.class !== 'empty_response') return false;
  // If a call was lost, a tool call should have followed the text.
  if (emittedText === '' || lostCall !== undefined || isVisiblyCut(emittedText + heldBack))
    return false;
  const { text, reasoning, usage } = outcome.answer;
  const hasThought = reasoning !== '' || (usage?.reasoning ?? 0) > 0;
  return text.trim() !== '' || !hasThought;
}

function hasOtherProvider(state: RunState, provider: string): boolean {
  return [...remainingCandidates(state), ...state.refused].some(
    (each) => !each.isLastResort && each.provider !== provider,
  );
}

/** Whether a text shows that more must follow: open code, an open bracket, a comma, a colon. */
function isVisiblyCut(text: string): boolean {
  return isInCode(text) || /[,;:([{|、，；：（「-]\s*$/u.test(text.slice(-LOOKED_AT_CHARS));
}

function accept(result: AttemptResult, state: RunState, run: RunContext): AnsweredAttempt {
  emitHeldBack(state, run.listener);
  const { call, fitted, permit, place } = result;
  const { candidate } = result.candidateState;
  const { outcome } = call;
  // It returned nothing, or only repeated the text, which counts as a success.
  const isEmpty = outcome.is === 'failed' && outcome.answer.text.trim() === '';
  const error = isEmpty ? outcome.error : undefined;
  if (error) permit.cancel();
  else permit.success();
  const { entry: model } = candidate;
  run.ledger.attempted({ model, call, error, next: undefined, ...(place && { place }) });
  addNotices(state, [...fitted.notices, ...outcome.answer.notices, noticeOf(candidate)]);
  return answerOf(result, state);
}

function answerOf({ call, candidateState }: AttemptResult, state: RunState): AnsweredAttempt {
  const { answer } = call.outcome;
  const { candidate } = candidateState;
  const text = state.emittedText + state.heldBack;
  return { do: 'answer', candidate, answer, finish: 'stop', text };
}

/**
 * The interrupted text, where one model had nothing to add to it, it ends with a sentence, and none
 * of the models after that one could be asked or added anything.
 */
export function acceptedAtEnd(
  state: RunState,
  { signal }: Pick<RunContext, 'signal'>,
): AnsweredAttempt | undefined {
  const { acceptedAtEnd: accepted, emittedText, hasEmittedToolCalls } = state;
  if (!accepted || signal.aborted || hasEmittedToolCalls) return undefined;
  // Another model continued it, and was interrupted, too.
  if (accepted.text !== emittedText) return undefined;
  addNotices(state, [noticeOf(accepted.candidate)]);
  return accepted;
}

function noticeOf({ model }: PlannedModel) {
  return notice('answer_looks_complete', { model });
}

/**
 * Only the end of a text is searched for its last sentence, as a search from every position would
 * be quadratic.
 */
const LOOKED_AT_CHARS = 200;
const END = /[.!?…。！？][)\]"'”’»*_]*$/u;
/** Periods that end no sentence: abbreviations, numbers in a list. */
const MERE_POINT =
  /(?:\b(?:e\.g|i\.e|etc|vs|cf|ca|dr|mr|mrs|ms|no|nr|fig|approx|z\.b|bzw)|(?:^|\n)\s*\d{1,3})\.$/i;

/** Whether a text looks finished: its last sentence is complete. */
export function endsSentence(text: string): boolean {
  const last = text.trimEnd().slice(-LOOKED_AT_CHARS);
  return END.test(last) && !MERE_POINT.test(last);
}

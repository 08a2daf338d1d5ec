import type { CallError } from '#core/errors/call-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { NextAttempt } from '#core/messages/run-reasons.ts';
import { remainingMs } from '#core/time/deadline.ts';
import type { BreakerPermit } from '#resilience/breaker-types.ts';
import { estimateSampled } from '#models/estimate-tokens.ts';
import { retryDelayMs } from '#resilience/retry.ts';
import type { Fitted } from '../context/fit.ts';
import type { AskPlan, PlannedModel } from '../route/plan.ts';
import { afterFailure, type NextStep } from './after-failure.ts';
import type { AnsweredAttempt, CandidateState } from './attempt.ts';
import { completeAnswer } from './complete-answer.ts';
import { remainingOutput } from './delivered-usage.ts';
import { toBreakerFailure, type FailureObserver } from './breaker-failure.ts';
import type { AttemptPlace } from './ledger.ts';
import type { ProviderCallResult } from './provider-call.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import {
  addCitations,
  addNotices,
  areCallsUsedUp,
  dropUnseen,
  emitHeldBack,
  emitText,
  hasFallbackLeft,
  hasOtherQueue,
  keepFreeCandidates,
  remainingAfter,
  type RunState,
} from './run-state.ts';

/** A timeout after less time than this says nothing about the model. */
const NO_CHANCE_MS = 1000;

/** The provider call of an attempt, with its prompt and breaker permit. */
export interface AttemptResult {
  readonly call: ProviderCallResult;
  readonly candidateState: CandidateState;
  readonly fitted: Fitted;
  readonly permit: BreakerPermit;
  /** Its place among attempts that ran beside each other. */
  readonly place?: AttemptPlace | undefined;
}

/** A failed attempt. */
interface FailedAttempt extends Omit<AttemptResult, 'fitted'> {
  /** A candidate that is still asked: what follows is that one's answer. */
  readonly beside?: PlannedModel;
}

/** Turns the result of an attempt into the answer, or the next step. */
export function handleOutcome(
  result: AttemptResult,
  state: RunState,
  run: RunContext,
  deps: RunDeps,
): AnsweredAttempt | NextStep {
  const { outcome } = result.call;
  addCitations(state, outcome.answer.citations);
  if (outcome.is === 'failed') {
    return (
      completeAnswer(result, state, run) ?? handleFailure(outcome.error, result, state, run, deps)
    );
  }
  const { call, candidateState, fitted, permit, place } = result;
  const { candidate } = candidateState;
  permit.success();
  // Only the notices of the model that answered; prompts of failed models may have been cut
  // differently.
  addNotices(state, [...fitted.notices, ...outcome.answer.notices]);
  deps.learn(candidate, call, fitted.tokens, run.request);
  const { entry: model } = candidate;
  run.ledger.attempted({ model, call, error: undefined, next: undefined, ...(place && { place }) });
  const { answer, finish, stopText } = outcome;
  if (state.emittedText === '') emitText(state, run.listener, answer.text);
  const text = state.emittedText === '' ? answer.text : state.emittedText;
  const stopped = stopText === undefined ? {} : { stopText };
  return { do: 'answer', candidate, answer, finish, text, ...stopped };
}

/** Reports a failed attempt, and decides what follows. */
export function handleFailure(
  error: CallError,
  { call, candidateState, permit, place, beside }: FailedAttempt,
  state: RunState,
  run: RunContext,
  deps: RunDeps,
): AnsweredAttempt | NextStep {
  const { candidate } = candidateState;
  const { entry: model } = candidate;
  const leftMs = run.signal.aborted ? 0 : remainingMs(run.deadline, deps.clock);
  // A timeout with hardly any time says nothing about the model.
  const hadNoChance = error.class === 'timeout' && leftMs <= 0 && call.elapsedMs < NO_CHANCE_MS;
  const isTypo = error.class === 'not_found' && isNameOnTrust(run.plan, candidate);
  // A model that has nothing to add to an interrupted answer may be right.
  const isEmptyContinuation = error.class === 'empty_response' && state.emittedText !== '';
  const mayBeRight = isEmptyContinuation || call.continuation === 'unproven';
  if (run.signal.aborted || hadNoChance || isTypo || mayBeRight) permit.cancel();
  else permit.failure(toBreakerFailure(error, seenBy(call, run, deps)));
  const { text } = call.outcome.answer;
  if (text.length > state.longest.length) state.longest = text;
  state.failures.push(error);
  if (call.continuation === 'rewritten' || call.continuation === 'unproven')
    dropUnseen(state, run.listener);
  // Logged, as the error is lost when another model answers.
  if (error.class === 'internal') {
    const target = { provider: model.provider, model: model.id };
    deps.log.error('provider_internal_error', {
      req_id: run.by.reqId,
      ...target,
      cause: error.cause,
    });
  }
  const attempted = { model, call, error, ...(place && { place }) };
  if (!beside && !run.signal.aborted && isLimitReached(state, run)) {
    emitHeldBack(state, run.listener);
    run.ledger.attempted({ ...attempted, next: undefined });
    return {
      do: 'answer',
      candidate,
      // A tool call that broke off was not emitted.
      answer: { ...call.outcome.answer, toolCalls: [] },
      finish: 'length',
      text: state.emittedText,
    };
  }
  const isOver = isTypo || cannotContinue(state, run) || isTooLongForNamed(error, run);
  const step: NextStep = isOver
    ? { do: 'stop' }
    : error.class === 'budget'
      ? afterRefusedSpending(error, state, run)
      : areCallsUsedUp(run)
        ? { do: 'next', skip: 'model' }
        : afterFailure({
            error,
            tries: candidateState.tries,
            hasShrunk: candidateState.hasShrunk || run.request.context === 'whole',
            hasFallback: hasFallbackLeft(state),
            hasOtherQueue: hasOtherQueue(state, candidate, deps.breakers),
            vendorResponded: call.exchanges.some(({ status }) => status !== undefined),
            remainingMs: leftMs,
            delayMs: delayBefore(candidateState, error, deps),
          });
  const next = beside ?? nextOf(step, candidate, state);
  const label = next && `${next.provider}/${next.model}`;
  run.ledger.attempted({ ...attempted, next: label });
  const isAgain = !beside && (step.do === 'retry' || step.do === 'shrink');
  reportStep(isAgain ? 'again' : next, error, candidate, state, run);
  return step;
}

/** Whether the caller's token limit is used up by the text so far, so that none continues it. */
function isLimitReached(state: RunState, { request }: RunContext): boolean {
  if (state.emittedText === '' || state.hasEmittedToolCalls) return false;
  const left = remainingOutput(request.maxOutputTokens, state);
  return left !== undefined && left <= estimateSampled(state.heldBack);
}

/**
 * A further request of the attempt was not affordable. Cheaper models may fit into the caller's
 * limit, free ones into a budget.
 */
function afterRefusedSpending(
  { field }: CallError,
  state: RunState,
  { whenSpent }: RunContext,
): NextStep {
  if (field !== 'max_cost_usd') {
    if (whenSpent === 'refuse') return { do: 'stop' };
    keepFreeCandidates(state);
  }
  return { do: 'next', skip: 'model' };
}

function seenBy(
  { elapsedMs }: ProviderCallResult,
  { request, by }: RunContext,
  { timeouts }: RunDeps,
): FailureObserver {
  const isShort = request.timeoutMs !== undefined && elapsedMs < timeouts.firstTokenMs;
  const { principal } = by.caller;
  return { principal, stop: request.stop, time: isShort ? 'short' : 'usual' };
}

function reportStep(
  next: PlannedModel | 'again' | undefined,
  error: CallError,
  { entry }: PlannedModel,
  { reasons }: RunState,
  { listener }: RunContext,
): void {
  const { class: errorClass, message, reason: why } = error;
  const failed = {
    provider: entry.provider,
    model: entry.id,
    class: errorClass,
    // Our own limit, which can be raised.
    ...(errorClass === 'over_capacity' && { limit: { message, ...(why && { reason: why }) } }),
  };
  if (!next) {
    reasons.push(reason('attempt_failed', failed));
    return;
  }
  const then: NextAttempt =
    next === 'again' ? next : { provider: next.provider, model: next.model };
  reasons.push(reason('attempt_failed', { ...failed, next: then }));
  listener.onNote?.(baseRenderer.reason(reason('asking_next', { ...failed, next: then })));
}

/** The retry delay; undefined when its breaker stays open for longer. */
function delayBefore(
  { candidate: { entry }, tries }: CandidateState,
  error: CallError,
  { breakers, random }: RunDeps,
): number | undefined {
  const delayMs = retryDelayMs(error, tries - 1, random);
  const { is, retryInMs = 0 } = breakers.look({ provider: entry.provider, model: entry.id });
  return is === 'open' && retryInMs > (delayMs ?? 0) ? undefined : delayMs;
}

/** Whether a requested model got a prompt that the caller prefers to shorten itself. */
function isTooLongForNamed(
  { class: errorClass }: CallError,
  { plan, request }: RunContext,
): boolean {
  const isWhole = request.context === 'whole' && plan.rule === 'explicit-model';
  return errorClass === 'context_length' && isWhole;
}

/**
 * Whether the emitted part cannot be continued: a partial tool call, or text of a caller that wants
 * no continuation.
 */
function cannotContinue(
  { emittedText, hasEmittedToolCalls }: RunState,
  { request }: RunContext,
): boolean {
  return hasEmittedToolCalls || (emittedText !== '' && request.onInterruption === 'fail');
}

/**
 * Whether the caller requested a model that is in no list and that only OpenRouter or the user's
 * own server can know, so that `not_found` is a typo.
 */
function isNameOnTrust(plan: AskPlan, { entry }: PlannedModel): boolean {
  if (plan.isNameOnTrust && entry === plan.first.entry) return true;
  const isRouted = entry.provider === 'openrouter' && entry.confidence === 'low';
  return plan.rule === 'explicit-model' && isRouted;
}

function nextOf(
  step: NextStep,
  candidate: PlannedModel,
  state: RunState,
): PlannedModel | undefined {
  if (step.do === 'stop') return undefined;
  return step.do === 'next' ? remainingAfter(state, candidate, step.skip)[0] : candidate;
}

import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { FinishReason } from '#core/llm/chat.ts';
import type { ChatAnswer } from '#core/llm/collect-chat.ts';
import { deadlineIn, earlier, remainingMs } from '#core/time/deadline.ts';
import { reason } from '#core/messages/reasons.ts';
import { breakerFixes } from '../breaker-fixes.ts';
import type { Reservation } from '../budget/budgets.ts';
import type { Fitted } from '../context/fit.ts';
import type { PlannedModel } from '../route/plan.ts';
import type { NextStep } from './after-failure.ts';
import { handleOutcome } from './handle-outcome.ts';
import { estimateUsage } from './ledger.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import { recordSkip, remainingCandidates, type RunState } from './run-state.ts';
import { streamAttempt } from './stream-attempt.ts';

/** The attempts on one candidate, and the size of its prompt. */
export interface CandidateState {
  readonly candidate: PlannedModel;
  tries: number;
  hasShrunk: boolean;
  /** The context window that the vendor reported when it refused the prompt. */
  contextTokens: number | undefined;
}

export interface AnsweredAttempt {
  readonly do: 'answer';
  readonly candidate: PlannedModel;
  readonly answer: ChatAnswer;
  readonly finish: FinishReason;
  /** The whole text, also where several models wrote it. */
  readonly text: string;
}

/**
 * One attempt on a candidate: fits the prompt, reserves the budget, acquires the breaker, then
 * calls the provider. Throws `budget` when it is used up.
 */
export async function attempt(
  candidateState: CandidateState,
  state: RunState,
  run: RunContext,
  deps: RunDeps,
): Promise<AnsweredAttempt | NextStep> {
  const { candidate } = candidateState;
  const target = { provider: candidate.entry.provider, model: candidate.entry.id };
  const provider = deps.providers.get(target.provider);
  if (!provider) {
    const why = reason('no_provider', { provider: target.provider });
    recordSkip(state, codedError('not_configured', why, target));
    return { do: 'next', skip: 'provider' };
  }
  let fitted: Fitted;
  try {
    fitted = await run.fit(candidate, candidateState.contextTokens);
  } catch (thrown) {
    recordSkip(state, CallError.from(thrown, target));
    return run.signal.aborted ? { do: 'stop' } : { do: 'next', skip: 'model' };
  }
  if (isTooExpensive(candidate, run)) {
    const why = reason('price_above_rest', { model: target.model });
    recordSkip(state, codedError('budget', why, { ...target, field: 'max_cost_usd' }));
    return { do: 'next', skip: 'model' };
  }
  const reservation = await reserve(candidate, state, run, deps);
  let costMicroUsd = 0;
  try {
    const acquired = deps.breakers.tryAcquire(target);
    if (acquired.is === 'refused') {
      const { reason: why, retryInMs: retryAfterMs } = acquired;
      const fixes = breakerFixes([why], retryAfterMs);
      recordSkip(state, codedError('breaker_open', why, { ...target, retryAfterMs, fixes }));
      return { do: 'next', skip: 'model' };
    }
    const { permit } = acquired;
    try {
      const call = await streamAttempt(provider, candidate, fitted, state, run, deps);
      const { answer } = call.outcome;
      const usage = answer.usage ?? estimateUsage(answer, fitted.tokens);
      if (usage && !candidate.isLastResort) costMicroUsd = run.ledger.used(candidate.entry, usage);
      return handleOutcome({ call, candidateState, fitted, permit }, state, run, deps);
    } finally {
      // No effect if a result was reported; else our own code failed, which says nothing about the
      // model.
      permit.cancel();
    }
  } finally {
    reservation.settle(costMicroUsd);
  }
}

/**
 * Whether a candidate costs more than the rest of the caller's limit after internal asks and
 * earlier attempts.
 */
function isTooExpensive(
  { maxCostMicroUsd = Infinity }: PlannedModel,
  { request, ledger }: RunContext,
): boolean {
  const limit = request.maxCostMicroUsd;
  if (limit === undefined || maxCostMicroUsd === 0) return false;
  return maxCostMicroUsd > limit - ledger.totals().costMicroUsd;
}

/** The longest wait for budget reserved by other requests while a free model is left. */
const MONEY_WAIT_MS = 2000;

async function reserve(
  { maxCostMicroUsd }: PlannedModel,
  state: RunState,
  { by, deadline, signal, whenSpent }: RunContext,
  { budgets, clock }: RunDeps,
): Promise<Reservation> {
  // With a limit, models of unknown price run one at a time.
  const maxCost = maxCostMicroUsd ?? Infinity;
  const isFree = (each: PlannedModel) => !each.isLastResort && each.maxCostMicroUsd === 0;
  const isLimited = budgets.left(by.caller.principal) !== undefined;
  const hasFree = isLimited && whenSpent === 'step_down' && remainingCandidates(state).some(isFree);
  const until = hasFree ? earlier(deadlineIn(clock, MONEY_WAIT_MS), deadline) : deadline;
  try {
    return await budgets.reserve(by.caller.principal, maxCost, { deadline: until, signal });
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class !== 'timeout' || remainingMs(deadline, clock) <= 0) throw error;
    throw codedError('budget', reason('budget_reserved_by_others'), { cause: error });
  }
}

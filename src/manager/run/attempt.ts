import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { FinishReason } from '#core/llm/chat.ts';
import type { ChatAnswer } from '#core/llm/collect-chat.ts';
import { deadlineIn, earlier, remainingMs } from '#core/time/deadline.ts';
import type { Provider, ProviderId } from '#core/llm/provider.ts';
import { reason } from '#core/messages/reasons.ts';
import { estimateSampled } from '#models/estimate-tokens.ts';
import type { Reservation } from '../budget/budgets.ts';
import { maxCostOf } from '../budget/max-cost.ts';
import { createRequestSpending } from '../budget/request-spending.ts';
import type { Fitted } from '../context/fit.ts';
import type { PlannedModel } from '../route/plan.ts';
import type { NextStep } from './after-failure.ts';
import { continueFrom } from './continue-answer.ts';
import { addDelivered } from './delivered-usage.ts';
import { handleOutcome } from './handle-outcome.ts';
import { estimateUsage } from './ledger.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import { recordSkip, remainingCandidates, type RunState } from './run-state.ts';
import { streamAttempt } from './stream-attempt.ts';
import { acquireBreaker, supplyFiles } from './supply-files.ts';

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
  /** The stop text that ended the answer, where that is known. */
  readonly stopText?: string;
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
  const unsupplied = await supplyFiles(candidateState, state, run, deps);
  if (unsupplied) return unsupplied;
  let fitted: Fitted;
  try {
    fitted = await run.fit(candidate, candidateState.contextTokens);
  } catch (thrown) {
    recordSkip(state, CallError.from(thrown, target));
    return run.signal.aborted ? { do: 'stop' } : { do: 'next', skip: 'model' };
  }
  const maxMicroUsd = maxCost(candidate, state);
  if (isTooExpensive(maxMicroUsd, 0, run)) {
    recordSkip(state, priceAboveRest(target));
    return { do: 'next', skip: 'model' };
  }
  const spending = createRequestSpending({
    model: candidate.entry,
    first: await reserve(maxMicroUsd, state, run, deps),
    checkLimit(followUpMicroUsd, spentMicroUsd) {
      if (isTooExpensive(followUpMicroUsd, spentMicroUsd, run)) throw priceAboveRest(target);
    },
    reserve: (followUpMicroUsd) => reserve(followUpMicroUsd, state, run, deps),
  });
  let costMicroUsd = 0;
  try {
    const permit = acquireBreaker(candidate, state, deps);
    if (!permit) return { do: 'next', skip: 'model' };
    try {
      const continues = state.emittedText;
      const instructionTokens = instructionTokensOf(state, provider);
      const { admitFollowUp } = spending;
      const call = await streamAttempt(
        provider,
        candidate,
        fitted,
        state,
        run,
        deps,
        admitFollowUp,
      );
      const { outcome } = call;
      const usage = outcome.answer.usage ?? estimateUsage(outcome.answer, fitted.tokens);
      if (usage && !candidate.isLastResort) {
        costMicroUsd = run.ledger.used(candidate.entry, usage);
        state.delivered = addDelivered(state.delivered, {
          outcome,
          usage,
          promptTokens: fitted.tokens,
          continues,
          instructionTokens,
          emittedChars: state.emittedText.length - continues.length,
          maxOutputTokens: run.request.maxOutputTokens,
        });
      }
      return handleOutcome({ call, candidateState, fitted, permit }, state, run, deps);
    } finally {
      // No effect if a result was reported; else our own code failed, which says nothing about the
      // model.
      permit.cancel();
    }
  } finally {
    spending.settle(costMicroUsd);
  }
}

/** Tokens of the instruction to continue the text so far; vendors that continue a prefix get none. */
function instructionTokensOf({ emittedText, lostCall }: RunState, provider: Provider): number {
  if (emittedText === '') return 0;
  const added = continueFrom([], emittedText, provider, lostCall).messages.at(-1);
  const isInstruction = added?.role === 'user' && typeof added.content === 'string';
  return isInstruction ? estimateSampled(added.content) : 0;
}

/** The maximum cost of the first request; undefined when the price is unknown. */
function maxCost(
  { maxCostMicroUsd, entry }: PlannedModel,
  { emittedText }: RunState,
): number | undefined {
  if (!maxCostMicroUsd || emittedText === '') return maxCostMicroUsd;
  // A continuation has the text so far in its prompt.
  return maxCostMicroUsd + (maxCostOf(entry, estimateSampled(emittedText), 0) ?? 0);
}

/**
 * Whether a request may cost more than the rest of the caller's limit after internal asks, earlier
 * attempts, and what this attempt has spent.
 */
function isTooExpensive(
  maxMicroUsd: number | undefined,
  spentMicroUsd: number,
  { request, ledger }: RunContext,
): boolean {
  const limit = request.maxCostMicroUsd;
  if (limit === undefined || maxMicroUsd === 0) return false;
  return (maxMicroUsd ?? Infinity) > limit - ledger.totals().costMicroUsd - spentMicroUsd;
}

function priceAboveRest(target: { readonly provider: ProviderId; readonly model: string }) {
  const why = reason('price_above_rest', { model: target.model });
  return codedError('budget', why, { ...target, field: 'max_cost_usd' });
}

/** The longest wait for budget reserved by other requests while a free model is left. */
const MONEY_WAIT_MS = 2000;

async function reserve(
  // With a limit, models of unknown price run one at a time.
  maxMicroUsd: number | undefined,
  state: RunState,
  { by, deadline, signal, whenSpent }: RunContext,
  { budgets, clock }: RunDeps,
): Promise<Reservation> {
  const isFree = (each: PlannedModel) => !each.isLastResort && each.maxCostMicroUsd === 0;
  const isLimited = budgets.left(by.caller.principal) !== undefined;
  const hasFree = isLimited && whenSpent === 'step_down' && remainingCandidates(state).some(isFree);
  const until = hasFree ? earlier(deadlineIn(clock, MONEY_WAIT_MS), deadline) : deadline;
  try {
    return await budgets.reserve(by.caller.principal, maxMicroUsd ?? Infinity, {
      deadline: until,
      signal,
    });
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class !== 'timeout' || remainingMs(deadline, clock) <= 0) throw error;
    throw codedError('budget', reason('budget_reserved_by_others'), { cause: error });
  }
}

import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { Provider, ProviderId } from '#core/llm/provider.ts';
import { reason } from '#core/messages/reasons.ts';
import { deadlineIn, earlier, remainingMs } from '#core/time/deadline.ts';
import type { BreakerPermit } from '#resilience/breaker-types.ts';
import type { Reservation } from '../budget/budgets.ts';
import { maxCostOf } from '../budget/max-cost.ts';
import { createRequestSpending, type RequestSpending } from '../budget/request-spending.ts';
import type { Fitted } from '../context/fit.ts';
import type { PlannedModel } from '../route/plan.ts';
import type { NextStep } from './after-failure.ts';
import type { AnsweredAttempt, CandidateState } from './attempt.ts';
import { prepareContinuation, type PreparedContinuation } from './continue-answer.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import { recordSkip, remainingCandidates, type RunState } from './run-state.ts';
import { acquireBreaker, supplyFiles } from './supply-files.ts';

/** An attempt that may be sent: its prompt, its money and its permit, which are released at its end. */
export interface PreparedAttempt {
  readonly candidateState: CandidateState;
  readonly provider: Provider;
  readonly fitted: Fitted;
  /** Absent where nothing was emitted. */
  readonly continuation: PreparedContinuation | undefined;
  readonly spending: RequestSpending;
  readonly permit: BreakerPermit;
}

export type Preparation =
  | { readonly is: 'ready'; readonly attempt: PreparedAttempt }
  /** The candidate is not asked. */
  | { readonly is: 'skipped'; readonly step: AnsweredAttempt | NextStep };

/**
 * Prepares an attempt on a candidate: supplies its files, fits the prompt, reserves the budget and
 * acquires the breaker. Throws `budget` when it is used up.
 */
export async function prepareAttempt(
  candidateState: CandidateState,
  state: RunState,
  run: RunContext,
  deps: RunDeps,
): Promise<Preparation> {
  const { candidate } = candidateState;
  const target = { provider: candidate.entry.provider, model: candidate.entry.id };
  const provider = deps.providers.get(target.provider);
  if (!provider) {
    const why = reason('no_provider', { provider: target.provider });
    recordSkip(state, codedError('not_configured', why, target));
    return skipped({ do: 'next', skip: 'provider' });
  }
  const unsupplied = await supplyFiles(candidateState, state, run, deps);
  if (unsupplied) return skipped(unsupplied);
  let fitted: Fitted;
  try {
    fitted = await run.fit(candidate, candidateState.contextTokens);
  } catch (thrown) {
    recordSkip(state, CallError.from(thrown, target));
    return skipped(run.signal.aborted ? { do: 'stop' } : { do: 'next', skip: 'model' });
  }
  const continuation = await prepareContinuation(state, provider, deps.pause);
  const maxMicroUsd = maxCost(candidate, continuation);
  if (isTooExpensive(maxMicroUsd, 0, run)) {
    recordSkip(state, priceAboveRest(target));
    return skipped({ do: 'next', skip: 'model' });
  }
  const spending = createRequestSpending({
    model: candidate.entry,
    first: await reserve(maxMicroUsd, state, run, deps),
    checkLimit(followUpMicroUsd, spentMicroUsd) {
      if (isTooExpensive(followUpMicroUsd, spentMicroUsd, run)) throw priceAboveRest(target);
    },
    reserve: (followUpMicroUsd) => reserve(followUpMicroUsd, state, run, deps),
  });
  const permit = acquireBreaker(candidate, state, deps);
  if (permit) {
    const attempt = { candidateState, provider, fitted, continuation, spending, permit };
    return { is: 'ready', attempt };
  }
  spending.settle(0);
  return skipped({ do: 'next', skip: 'model' });
}

/** Releases what an attempt holds. No effect on a permit whose result was reported. */
export function releaseAttempt({ spending, permit }: PreparedAttempt, costMicroUsd: number): void {
  permit.cancel();
  spending.settle(costMicroUsd);
}

function skipped(step: AnsweredAttempt | NextStep): Preparation {
  return { is: 'skipped', step };
}

/** The maximum cost of the first request; undefined when the price is unknown. */
function maxCost(
  { maxCostMicroUsd, entry }: PlannedModel,
  continuation: PreparedContinuation | undefined,
): number | undefined {
  if (!maxCostMicroUsd || !continuation) return maxCostMicroUsd;
  // A continuation has the text so far in its prompt.
  return maxCostMicroUsd + (maxCostOf(entry, continuation.textTokens, 0) ?? 0);
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

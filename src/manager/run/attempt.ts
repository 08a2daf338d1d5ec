import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import type { FinishReason } from '#core/chat.ts';
import type { ChatAnswer } from '#core/collect-chat.ts';
import { deadlineIn, earlier, remainingMs } from '#core/deadline.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Reservation } from '../budget-words.ts';
import type { Fitted } from '../context/fitted.ts';
import type { PlannedModel } from '../plan.ts';
import type { NextStep } from './after-failure.ts';
import { conclude } from './conclude.ts';
import { guessUsage } from './guess-usage.ts';
import type { Run, RunDeps } from './run-plan.ts';
import { passOver, queueOf, type RunState } from './run-state.ts';
import { speak } from './speak.ts';

/** How often one candidate was asked, and with how much of a prompt. */
export interface Turn {
  readonly candidate: PlannedModel;
  tries: number;
  hasShrunk: boolean;
  /** The window as its vendor named it when it refused the prompt. */
  contextTokens: number | undefined;
}

export interface Answered {
  readonly do: 'answer';
  readonly candidate: PlannedModel;
  readonly answer: ChatAnswer;
  readonly finish: FinishReason;
  /** The whole of it, also where several wrote it. */
  readonly text: string;
}

/** Asks one candidate once: prompt, money and leave first, then the provider. Throws `budget` when the money is spent. */
export async function attempt(
  turn: Turn,
  state: RunState,
  run: Run,
  deps: RunDeps,
): Promise<Answered | NextStep> {
  const { candidate } = turn;
  const who = { provider: candidate.entry.provider, model: candidate.entry.id };
  const provider = deps.providers.get(who.provider);
  if (!provider) {
    const why = reason('no_provider', { provider: who.provider });
    passOver(state, codedError('not_configured', why, who));
    return { do: 'next', skip: 'provider' };
  }
  let fitted: Fitted;
  try {
    fitted = await run.fit(candidate, turn.contextTokens);
  } catch (thrown) {
    passOver(state, CallError.from(thrown, who));
    return run.signal.aborted ? { do: 'stop' } : { do: 'next', skip: 'model' };
  }
  if (isTooDear(candidate, run)) {
    const why = reason('price_above_rest', { model: who.model });
    passOver(state, codedError('budget', why, { ...who, field: 'max_cost_usd' }));
    return { do: 'next', skip: 'model' };
  }
  const reservation = await reserve(candidate, state, run, deps);
  let costMicroUsd = 0;
  try {
    const acquired = deps.breakers.tryAcquire(who);
    if (acquired.is === 'refused') {
      const { reason: why, retryInMs: retryAfterMs } = acquired;
      passOver(state, codedError('breaker_open', why, { ...who, retryAfterMs }));
      return { do: 'next', skip: 'model' };
    }
    const { permit } = acquired;
    try {
      const once = await speak(provider, candidate, fitted, state, run, deps);
      const { answer } = once.outcome;
      const usage = answer.usage ?? guessUsage(answer, fitted.tokens);
      if (usage && !candidate.isLastResort) costMicroUsd = run.ledger.used(candidate.entry, usage);
      return conclude({ once, turn, fitted, permit }, state, run, deps);
    } finally {
      // Heard only if nothing was said before: then something of ours broke, which says nothing about the model.
      permit.cancel();
    }
  } finally {
    reservation.settle(costMicroUsd);
  }
}

/** What side questions and earlier attempts took is gone. */
function isTooDear(
  { maxCostMicroUsd = Infinity }: PlannedModel,
  { request, ledger }: Run,
): boolean {
  const limit = request.maxCostMicroUsd;
  if (limit === undefined || maxCostMicroUsd === 0) return false;
  return maxCostMicroUsd > limit - ledger.totals().costMicroUsd;
}

/** Longer than this nobody waits for money that others have set aside, while a model that costs nothing could answer. */
const MONEY_WAIT_MS = 2000;

async function reserve(
  { maxCostMicroUsd }: PlannedModel,
  state: RunState,
  { by, deadline, signal, whenSpent }: Run,
  { budgets, clock }: RunDeps,
): Promise<Reservation> {
  // Of those whose price nobody knows one at a time is asked, where there is a limit.
  const maxCost = maxCostMicroUsd ?? Infinity;
  const isFree = (each: PlannedModel) => !each.isLastResort && each.maxCostMicroUsd === 0;
  const isLimited = budgets.left(by.caller.principal) !== undefined;
  const hasFree = isLimited && whenSpent === 'step_down' && queueOf(state).some(isFree);
  const until = hasFree ? earlier(deadlineIn(clock, MONEY_WAIT_MS), deadline) : deadline;
  try {
    return await budgets.reserve(by.caller.principal, maxCost, { deadline: until, signal });
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class !== 'timeout' || remainingMs(deadline, clock) <= 0) throw error;
    throw codedError('budget', reason('budget_reserved_by_others'), { cause: error });
  }
}

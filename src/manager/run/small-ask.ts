import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import type { ChatRequest } from '#core/chat.ts';
import type { Clock } from '#core/clock.ts';
import { deadlineIn, earlier, remainingMs, signalAt, type Deadline } from '#core/deadline.ts';
import type { Cancel } from '#core/http.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Patience, Provider, ProviderId } from '#core/provider.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import type { Model } from '#models/model.ts';
import type { Breakers } from '#resilience/breaker-words.ts';
import type { Budgets, Reservation } from '../budget-words.ts';
import { askOnce } from './ask-once.ts';
import { failureFacts } from './failure-facts.ts';
import { guessUsage } from './guess-usage.ts';
import type { Ledger } from './ledger.ts';
import type { SidePurpose } from './observe.ts';
import type { SidePurse } from './side-purse.ts';
import { smallCost } from './small-cost.ts';

export interface SmallAskDeps {
  readonly providers: ReadonlyMap<ProviderId, Provider>;
  readonly breakers: Breakers;
  readonly budgets: Budgets;
  readonly patience: Patience;
  readonly clock: Clock;
  /** What is taken out of messages for a principal: the owner alone knows where providers are. */
  readonly conceal: (principal: string) => (text: string) => string;
}

export interface SmallAsk {
  readonly purpose: SidePurpose;
  /** In the order in which they are tried. */
  readonly models: readonly Model[];
  readonly request: Omit<ChatRequest, 'model' | 'delivery'>;
  readonly principal: string;
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  readonly signal: Cancel;
  readonly ledger: Ledger;
  readonly purse: SidePurse;
}

export interface SmallAnswer {
  readonly text: string;
  readonly model: string;
}

/** A side question of our own: few words, no chain to speak of, and a failure that its asker can live with. */
export async function askSmall(ask: SmallAsk, deps: SmallAskDeps): Promise<SmallAnswer> {
  const { clock } = deps;
  const deadline = earlier(deadlineIn(clock, ask.timeoutMs), ask.deadline);
  if (remainingMs(deadline, clock) <= 0) {
    throw new CallError('timeout', 'There is no time left for side questions.');
  }
  const within = signalAt(deadline, clock, ask.signal);
  let last = new CallError('not_configured', 'There is no model for side questions.');
  try {
    for (const model of ask.models) {
      const text = await askOne(model, { ...ask, deadline, signal: within.signal }, deps);
      if (typeof text === 'string') return { text, model: model.id };
      last = text;
      if (within.signal.aborted) break;
    }
  } finally {
    within.dispose();
  }
  throw last;
}

async function askOne(
  model: Model,
  ask: SmallAsk,
  { providers, breakers, budgets, patience, clock, conceal }: SmallAskDeps,
): Promise<string | CallError> {
  const who = { provider: model.provider, model: model.id };
  const provider = providers.get(model.provider);
  if (!provider)
    return codedError('not_configured', reason('no_provider', { provider: who.provider }), who);
  const { deadline, signal, ledger, purpose } = ask;
  const maxCost = smallCost(model, ask.request);
  const putBack = ask.purse.take(maxCost);
  if (!putBack) return tooDear(who);
  let reservation: Reservation | undefined;
  let costMicroUsd = 0;
  try {
    reservation = await reserve(budgets, ask, maxCost);
    const acquired = breakers.tryAcquire(who);
    if (acquired.is === 'refused') return codedError('breaker_open', acquired.reason, who);
    const { permit } = acquired;
    try {
      const once = await askOnce({
        provider,
        request: { ...ask.request, model: model.id, delivery: 'stream' },
        context: { deadline, signal, patience },
        clock,
        conceal: conceal(ask.principal),
      });
      const { outcome } = once;
      const { answer } = outcome;
      const usage = answer.usage ?? guessUsage(answer, estimateChat(ask.request.messages));
      if (usage) costMicroUsd = ledger.used(model, usage);
      ledger.asked({ purpose, model, once, usage });
      if (outcome.is === 'answered') {
        permit.success();
        return answer.text;
      }
      // Being too slow for a side question says nothing of how it answers real ones.
      if (!signal.aborted) permit.failure(failureFacts(outcome.error, ask));
      return outcome.error;
    } finally {
      // Heard only if nothing was said before.
      permit.cancel();
    }
  } finally {
    reservation?.settle(costMicroUsd);
    putBack();
  }
}

/** Of those whose price nobody knows one at a time is asked, where there is a limit. */
async function reserve(
  budgets: Budgets,
  { principal, deadline, signal }: SmallAsk,
  maxCost = Infinity,
): Promise<Reservation> {
  try {
    return await budgets.reserve(principal, maxCost, { deadline, signal });
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class !== 'timeout') throw error;
    // Waiting for money of one's own is no slowness of a model.
    throw new CallError('over_capacity', error.message, { cause: thrown });
  }
}

function tooDear(who: { readonly provider: string; readonly model: string }): CallError {
  const argument = 'max_cost_usd';
  return codedError('budget', reason('price_above_rest', { model: who.model }), {
    ...who,
    field: argument,
    fixes: [fix('raise_argument', { argument }), fix('omit_argument', { argument })],
  });
}

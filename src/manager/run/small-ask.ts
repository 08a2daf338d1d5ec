import { CallError } from '#core/call-error.ts';
import type { ChatRequest } from '#core/chat.ts';
import type { Clock } from '#core/clock.ts';
import { deadlineIn, earlier, signalAt, type Deadline } from '#core/deadline.ts';
import type { Patience, Provider, ProviderId } from '#core/provider.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import type { Model } from '#models/model.ts';
import { costOf } from '#models/price.ts';
import type { Breakers } from '#resilience/breaker-words.ts';
import type { Budgets } from '../budget-words.ts';
import { askOnce } from './ask-once.ts';
import type { Ledger } from './ledger.ts';

export interface SmallAskDeps {
  readonly providers: ReadonlyMap<ProviderId, Provider>;
  readonly breakers: Breakers;
  readonly budgets: Budgets;
  readonly patience: Patience;
  readonly clock: Clock;
}

export interface SmallAsk {
  /** In the order in which they are tried. */
  readonly models: readonly Model[];
  readonly request: Omit<ChatRequest, 'model' | 'delivery'>;
  readonly principal: string;
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly ledger: Ledger;
}

export interface SmallAnswer {
  readonly text: string;
  readonly model: string;
}

/** A side question of our own: few words, no chain to speak of, and a failure that its asker can live with. */
export async function askSmall(ask: SmallAsk, deps: SmallAskDeps): Promise<SmallAnswer> {
  const { clock } = deps;
  const deadline = earlier(deadlineIn(clock, ask.timeoutMs), ask.deadline);
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
  { providers, breakers, budgets, patience, clock }: SmallAskDeps,
): Promise<string | CallError> {
  const who = { provider: model.provider, model: model.id };
  const provider = providers.get(model.provider);
  if (!provider)
    return new CallError('not_configured', `There is no provider "${model.provider}".`, who);
  const { deadline, signal } = ask;
  const reservation = await budgets.reserve(ask.principal, maxCost(model, ask), {
    deadline,
    signal,
  });
  let costMicroUsd = 0;
  try {
    const acquired = breakers.tryAcquire(who);
    if (acquired.is === 'refused') return new CallError('breaker_open', acquired.because, who);
    const { outcome } = await askOnce({
      provider,
      request: { ...ask.request, model: model.id, delivery: 'stream' },
      context: { deadline, signal, patience },
      clock,
    });
    const { usage } = outcome.answer;
    if (usage) costMicroUsd = ask.ledger.used(model, usage);
    if (outcome.is === 'answered') {
      acquired.permit.success();
      return outcome.answer.text;
    }
    // Being too slow for a side question says nothing of how it answers real ones.
    if (signal.aborted) acquired.permit.cancel();
    else acquired.permit.failure(outcome.error);
    return outcome.error;
  } finally {
    reservation.settle(costMicroUsd);
  }
}

const MAX_TOKENS = 4096;

function maxCost(model: Model, { request }: SmallAsk): number {
  const { messages, maxOutputTokens = MAX_TOKENS } = request;
  const usage = { input: estimateChat(messages), output: maxOutputTokens };
  return costOf(model, { ...usage, cached: 0, reasoning: 0, estimated: true }).microUsd;
}

import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { Intent } from '#core/llm/ask.ts';
import type { ChatRequest } from '#core/llm/chat.ts';
import type { Provider, ProviderId, StreamTimeouts } from '#core/llm/provider.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn, earlier, remainingMs, signalAt, type Deadline } from '#core/time/deadline.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import type { Model } from '#models/model.ts';
import type { Breakers } from '#resilience/breaker-types.ts';
import type { AskState } from './ask-state.ts';
import type { Budgets, Reservation } from './budget/budgets.ts';
import { maxCostOf } from './budget/max-cost.ts';
import { createRequestSpending, type RequestSpending } from './budget/request-spending.ts';
import { classifierPrompt, type ClassifierPrompt } from './classify/classifier-prompt.ts';
import type { Classifier } from './classify/classifier.ts';
import { lastQuestion } from './classify/facts.ts';
import { classifyByRules, UNSURE_BELOW } from './classify/request-class.ts';
import type { Summarise } from './context/fit.ts';
import type { Summaries, SummaryAsk } from './context/summaries.ts';
import { internalModels, type InternalRefusals } from './internal-models.ts';
import type { RoutingState } from './route/routing-state.ts';
import type { InternalPurpose } from './run/ask-observer.ts';
import { toBreakerFailure } from './run/breaker-failure.ts';
import { estimateUsage, type Ledger } from './run/ledger.ts';
import { callProvider } from './run/provider-call.ts';

export interface InternalAsksDeps extends InternalAskDeps {
  readonly summaries: Summaries;
  readonly classifier: Classifier;
}

const SUMMARY_MS = 60_000;
const SUMMARY_OUTPUT_TOKENS = 4096;
const INTENT_OUTPUT_TOKENS = 400;
/** Share of the remaining time for the classifier. */
const INTENT_SHARE = 0.25;
/** Share of the remaining time for all summaries of one prompt. */
const SUMMARIES_SHARE = 0.5;

/**
 * The classifier models for a request; empty when its class is clear or a model is named, or they
 * cost too much.
 */
export function classifierModels(
  { facts, measured }: Pick<AskState, 'facts' | 'measured'>,
  routing: RoutingState,
): readonly Model[] {
  const isNamed = facts.model !== undefined || facts.lockedModel !== undefined;
  if (isNamed || classifyByRules(facts).confidence >= UNSURE_BELOW) return [];
  const request = intentRequest(classifierPrompt(facts, lastQuestion(measured.request)));
  const { maxCostMicroUsd: limit } = facts;
  return internalModels(routing).filter(
    (model) => limit === undefined || (internalAskCost(model, request) ?? Infinity) <= limit,
  );
}

/**
 * Classifies a request with a small model. `aside`: a request waits for it, so it gets a share of
 * the time; `itself`: the classification is the request.
 */
export function askIntent(
  askState: AskState,
  models: readonly Model[],
  timeoutMs: number,
  deps: InternalAsksDeps,
  wanted: 'aside' | 'itself' = 'aside',
): Promise<Intent> {
  const { facts, by, deadline, ledger } = askState;
  const share = wanted === 'aside' ? INTENT_SHARE : 1;
  const ownMs = Math.min(timeoutMs, remainingMs(deadline, deps.clock) * share);
  const budget = createInternalBudget(facts.maxCostMicroUsd, ledger);
  return deps.classifier.classify(
    {
      facts,
      question: lastQuestion(askState.measured.request),
      principal: by.caller.principal,
      timeoutMs: ownMs,
      time: ownMs < timeoutMs ? 'short' : 'usual',
    },
    (prompt, withinMs) => {
      const limits = { timeoutMs: withinMs, deadline, budget };
      return askSmallModel('intent', askState, models, limits, deps, intentRequest(prompt));
    },
    by.signal,
  );
}

/**
 * Creates the summariser of one prompt, whose texts share one deadline. Undefined when no model is
 * affordable.
 */
export function createSummarise(
  askState: AskState,
  routing: RoutingState,
  deps: InternalAsksDeps,
  /** Maximum cost of the answer, which is reserved from the caller's limit. */
  answerMicroUsd = 0,
): Summarise | undefined {
  const { by, facts, ledger } = askState;
  const { clock, summaries } = deps;
  const { maxCostMicroUsd: limit } = facts;
  const budget = createInternalBudget(
    limit === undefined ? undefined : Math.max(0, limit - answerMicroUsd),
    ledger,
  );
  const models = internalModels(routing).filter((model) =>
    budget.has(internalAskCost(model, LEAST)),
  );
  if (models.length === 0) return undefined;
  let deadline: Deadline | undefined;
  // Time for the prompt is taken from its answer.
  const begin = () =>
    (deadline ??= deadlineIn(clock, remainingMs(askState.deadline, clock) * SUMMARIES_SHARE));
  const askFor: SummaryAsk = async ({ system, user }, maxTokens) => {
    const request = {
      ...chatMessages(system, user),
      maxOutputTokens: Math.min(maxTokens, SUMMARY_OUTPUT_TOKENS),
    };
    const limits = { timeoutMs: SUMMARY_MS, deadline: begin(), budget };
    return (await askSmallModel('summary', askState, models, limits, deps, request)).text;
  };
  return async (text, options) => {
    const within = signalAt(begin(), clock, by.signal);
    try {
      const { principal: owner } = by.caller;
      const { signal } = within;
      return await summaries.summarise(text, { ...options, owner, signal }, askFor);
    } finally {
      within.dispose();
    }
  };
}

type SmallRequest = Omit<ChatRequest, 'model' | 'delivery'>;

function chatMessages(system: string, user: string): Pick<SmallRequest, 'messages' | 'thinking'> {
  return {
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    thinking: { mode: 'off' },
  };
}

/** The smallest possible request. */
const LEAST: SmallRequest = { ...chatMessages('', ''), maxOutputTokens: 1 };

function intentRequest({ system, user, schema }: ClassifierPrompt): SmallRequest {
  return {
    ...chatMessages(system, user),
    responseFormat: { type: 'json_schema', name: 'intent', schema },
    maxOutputTokens: INTENT_OUTPUT_TOKENS,
  };
}

function askSmallModel(
  purpose: InternalPurpose,
  { by, ledger }: AskState,
  models: readonly Model[],
  limits: Pick<InternalAsk, 'timeoutMs' | 'deadline' | 'budget'>,
  deps: InternalAsksDeps,
  request: SmallRequest,
): Promise<InternalAnswer> {
  const { principal } = by.caller;
  return askInternal(
    { purpose, models, request, principal, ...limits, signal: by.signal, ledger },
    deps,
  );
}

interface InternalAskDeps {
  readonly providers: ReadonlyMap<ProviderId, Provider>;
  readonly breakers: Breakers;
  readonly budgets: Budgets;
  readonly timeouts: StreamTimeouts;
  readonly clock: Clock;
  /** Models that refused recently. */
  readonly refusals: InternalRefusals;
  /** Redacts provider hosts from messages for a principal; only the owner sees them. */
  readonly redactHosts: (principal: string) => (text: string) => string;
}

interface InternalAsk {
  readonly purpose: InternalPurpose;
  /** Tried in this order. */
  readonly models: readonly Model[];
  readonly request: Omit<ChatRequest, 'model' | 'delivery'>;
  readonly principal: string;
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  readonly signal: AbortSignalLike;
  readonly ledger: Ledger;
  readonly budget: InternalBudget;
}

interface InternalAnswer {
  readonly text: string;
  readonly model: string;
}

/**
 * Asks a small model for the router itself, such as a classification or a summary. Failures are
 * tolerable.
 */
async function askInternal(ask: InternalAsk, deps: InternalAskDeps): Promise<InternalAnswer> {
  const { clock } = deps;
  const deadline = earlier(deadlineIn(clock, ask.timeoutMs), ask.deadline);
  if (remainingMs(deadline, clock) <= 0) {
    throw new CallError('timeout', 'There is no time left for side questions.');
  }
  const within = signalAt(deadline, clock, ask.signal);
  let last = new CallError('not_configured', 'There is no model for side questions.');
  try {
    for (const model of ask.models) {
      if (deps.refusals.has(model)) continue;
      const text = await askModel(model, { ...ask, deadline, signal: within.signal }, deps);
      if (typeof text === 'string') return { text, model: model.id };
      last = text;
      deps.refusals.add(model, text);
      if (within.signal.aborted) break;
    }
  } finally {
    within.dispose();
  }
  throw last;
}

async function askModel(
  model: Model,
  ask: InternalAsk,
  { providers, breakers, budgets, timeouts, clock, redactHosts }: InternalAskDeps,
): Promise<string | CallError> {
  const target = { provider: model.provider, model: model.id };
  const provider = providers.get(model.provider);
  if (!provider)
    return codedError(
      'not_configured',
      reason('no_provider', { provider: target.provider }),
      target,
    );
  const { deadline, signal, ledger, purpose } = ask;
  const maxCost = internalAskCost(model, ask.request);
  const release = ask.budget.take(maxCost);
  if (!release) return tooExpensive(target);
  const releases = [release];
  let spending: RequestSpending | undefined;
  let costMicroUsd = 0;
  try {
    const { admitFollowUp } = (spending = createRequestSpending({
      model,
      first: await reserve(budgets, ask, maxCost),
      checkLimit(maxMicroUsd) {
        const more = ask.budget.take(maxMicroUsd);
        if (!more) throw tooExpensive(target);
        releases.push(more);
      },
      reserve: (maxMicroUsd) => reserve(budgets, ask, maxMicroUsd),
    }));
    const acquired = breakers.tryAcquire(target);
    if (acquired.is === 'refused') return codedError('breaker_open', acquired.reason, target);
    const { permit } = acquired;
    try {
      const call = await callProvider({
        provider,
        request: { ...ask.request, model: model.id, delivery: 'stream' },
        context: { deadline, signal, timeouts, admitFollowUp },
        clock,
        redactHosts: redactHosts(ask.principal),
      });
      const { outcome } = call;
      const { answer } = outcome;
      const usage = answer.usage ?? estimateUsage(answer, estimateChat(ask.request.messages));
      if (usage) costMicroUsd = ledger.used(model, usage);
      ledger.asked({ purpose, model, call, usage });
      if (outcome.is === 'answered') {
        permit.success();
        // The limit, which is ours, went into thinking: the model is well, and useless for this.
        if (answer.text !== '') return answer.text;
        return new CallError('empty_response', 'The answer is empty.', target);
      }
      // A timeout of an internal ask says nothing about real requests.
      if (!signal.aborted) permit.failure(toBreakerFailure(outcome.error, ask));
      return outcome.error;
    } finally {
      // No effect if a result was reported already.
      permit.cancel();
    }
  } finally {
    spending?.settle(costMicroUsd);
    for (const each of releases) each();
  }
}

/** The amount to reserve. With a limit, models of unknown price run one at a time. */
async function reserve(
  budgets: Budgets,
  { principal, deadline, signal }: InternalAsk,
  maxCost = Infinity,
): Promise<Reservation> {
  try {
    return await budgets.reserve(principal, maxCost, { deadline, signal });
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class !== 'timeout') throw error;
    // Waiting for the budget is not slowness of a model.
    throw new CallError('over_capacity', error.message, { cause: thrown });
  }
}

function tooExpensive(target: { readonly provider: string; readonly model: string }): CallError {
  const argument = 'max_cost_usd';
  return codedError('budget', reason('price_above_rest', { model: target.model }), {
    ...target,
    field: argument,
    fixes: [fix('raise_argument', { argument }), fix('omit_argument', { argument })],
  });
}

/** The maximum cost of an internal ask; undefined when the price is unknown. */
function internalAskCost(
  model: Model,
  { messages, maxOutputTokens }: Pick<ChatRequest, 'messages' | 'maxOutputTokens'>,
): number | undefined {
  return maxCostOf(model, estimateChat(messages), maxOutputTokens);
}

/** The share of the caller's cost limit that internal asks may use. */
interface InternalBudget {
  has(maxMicroUsd: number | undefined): boolean;
  /**
   * Reserves the amount until the returned function is called, when the ledger has the real cost.
   * Undefined if too little is left.
   */
  take(maxMicroUsd: number | undefined): (() => void) | undefined;
}

/** Counts reservations, as several internal asks run at once. */
function createInternalBudget(
  limitMicroUsd: number | undefined,
  ledger: Pick<Ledger, 'totals'>,
): InternalBudget {
  let asideMicroUsd = 0;

  function has(maxMicroUsd: number | undefined): boolean {
    if (limitMicroUsd === undefined || maxMicroUsd === 0) return true;
    // An unknown price may be anything.
    if (maxMicroUsd === undefined) return false;
    const left = limitMicroUsd - ledger.totals().costMicroUsd - asideMicroUsd;
    return maxMicroUsd <= left;
  }

  return {
    has,
    take(maxMicroUsd) {
      if (!has(maxMicroUsd)) return undefined;
      const taken = maxMicroUsd ?? 0;
      asideMicroUsd += taken;
      return () => void (asideMicroUsd -= taken);
    },
  };
}

import type { Intent } from '#core/ask.ts';
import type { ChatRequest } from '#core/chat.ts';
import { deadlineIn, remainingMs, signalAt, type Deadline } from '#core/deadline.ts';
import type { Model } from '#models/model.ts';
import type { Asking } from './asking.ts';
import { classify, UNSURE_BELOW } from './classify.ts';
import type { Summarise } from './context/fitted.ts';
import type { Summaries, SummaryAsk } from './context/summaries.ts';
import type { IntentReader } from './intent.ts';
import { intentPrompt, type IntentPrompt } from './intent-prompt.ts';
import { questionOf } from './question-of.ts';
import type { RouteWorld } from './route-world.ts';
import type { SidePurpose } from './run/observe.ts';
import { createSidePurse } from './run/side-purse.ts';
import { askSmall, type SmallAnswer, type SmallAsk, type SmallAskDeps } from './run/small-ask.ts';
import { smallCost } from './run/small-cost.ts';

export interface SideQuestionDeps extends SmallAskDeps {
  readonly summaries: Summaries;
  readonly intents: IntentReader;
}

const SUMMARY_MS = 60_000;
const SUMMARY_OUTPUT_TOKENS = 4096;
const INTENT_OUTPUT_TOKENS = 400;
/** Of what is left of the time, for saying what a request is. */
const INTENT_SHARE = 0.25;
/** Of what is left of the time, for all that is summarised for one prompt. */
const SUMMARIES_SHARE = 0.5;

/** The small models that can be asked now. One that is being tried again is left to real questions: those wait for its word. */
export function smallModels(world: RouteWorld): readonly Model[] {
  return world.roles.manager.filter(
    (model) => world.obstacle(model) === undefined && world.health(model).is === 'closed',
  );
}

/** Those that would be asked what a request is: where that is unclear, can change anything, and may cost so much. */
export function intentModels(
  { facts, measured }: Pick<Asking, 'facts' | 'measured'>,
  world: RouteWorld,
): readonly Model[] {
  const isNamed = facts.model !== undefined || facts.lockedModel !== undefined;
  if (isNamed || classify(facts).confidence >= UNSURE_BELOW) return [];
  const request = intentRequest(intentPrompt(facts, questionOf(measured.request)));
  const { maxCostMicroUsd: limit } = facts;
  return smallModels(world).filter(
    (model) => limit === undefined || (smallCost(model, request) ?? Infinity) <= limit,
  );
}

/**
 * What a small model takes a request for. `aside`: the request waits for it, and it gets a part of the time;
 * `itself`: nothing else was asked for.
 */
export function askIntent(
  asking: Asking,
  models: readonly Model[],
  timeoutMs: number,
  deps: SideQuestionDeps,
  wanted: 'aside' | 'itself' = 'aside',
): Promise<Intent> {
  const { facts, by, deadline, ledger } = asking;
  const share = wanted === 'aside' ? INTENT_SHARE : 1;
  const ownMs = Math.min(timeoutMs, remainingMs(deadline, deps.clock) * share);
  const purse = createSidePurse(facts.maxCostMicroUsd, ledger);
  return deps.intents.classify(
    {
      facts,
      question: questionOf(asking.measured.request),
      principal: by.caller.principal,
      timeoutMs: ownMs,
      time: ownMs < timeoutMs ? 'short' : 'usual',
    },
    (prompt, withinMs) => {
      const limits = { timeoutMs: withinMs, deadline, purse };
      return ask('intent', asking, models, limits, deps, intentRequest(prompt));
    },
    by.signal,
  );
}

/** Makes texts shorter by asking a small model. Made anew for each prompt: all of its texts share one time. */
export function summarising(
  asking: Asking,
  world: RouteWorld,
  deps: SideQuestionDeps,
  /** What the answer may cost: of the caller's limit that much is left alone. */
  answerMicroUsd = 0,
): Summarise | undefined {
  const { by, facts, ledger } = asking;
  const { clock, summaries } = deps;
  const { maxCostMicroUsd: limit } = facts;
  const purse = createSidePurse(
    limit === undefined ? undefined : Math.max(0, limit - answerMicroUsd),
    ledger,
  );
  const models = smallModels(world).filter((model) => purse.has(smallCost(model, LEAST)) === 'yes');
  if (models.length === 0) return undefined;
  let deadline: Deadline | undefined;
  // What a prompt takes in time is taken from its answer.
  const begin = () =>
    (deadline ??= deadlineIn(clock, remainingMs(asking.deadline, clock) * SUMMARIES_SHARE));
  const askFor: SummaryAsk = async ({ system, user }, maxTokens) => {
    const request = {
      ...said(system, user),
      maxOutputTokens: Math.min(maxTokens, SUMMARY_OUTPUT_TOKENS),
    };
    const limits = { timeoutMs: SUMMARY_MS, deadline: begin(), purse };
    return (await ask('summary', asking, models, limits, deps, request)).text;
  };
  return async (text, about) => {
    const within = signalAt(begin(), clock, by.signal);
    try {
      const { principal: owner } = by.caller;
      const { signal } = within;
      return await summaries.summarise(text, { ...about, owner, signal }, askFor);
    } finally {
      within.dispose();
    }
  };
}

type SmallRequest = Omit<ChatRequest, 'model' | 'delivery'>;

function said(system: string, user: string): Pick<SmallRequest, 'messages' | 'thinking'> {
  return {
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    thinking: { mode: 'off' },
  };
}

/** The least that a model can be asked. */
const LEAST: SmallRequest = { ...said('', ''), maxOutputTokens: 1 };

function intentRequest({ system, user, schema }: IntentPrompt): SmallRequest {
  return {
    ...said(system, user),
    responseFormat: { type: 'json_schema', name: 'intent', schema },
    maxOutputTokens: INTENT_OUTPUT_TOKENS,
  };
}

function ask(
  purpose: SidePurpose,
  { by, ledger }: Asking,
  models: readonly Model[],
  limits: Pick<SmallAsk, 'timeoutMs' | 'deadline' | 'purse'>,
  deps: SideQuestionDeps,
  request: SmallRequest,
): Promise<SmallAnswer> {
  const { principal } = by.caller;
  return askSmall(
    { purpose, models, request, principal, ...limits, signal: by.signal, ledger },
    deps,
  );
}

import type { Intent } from '#core/ask.ts';
import type { ChatRequest } from '#core/chat.ts';
import type { Model } from '#models/model.ts';
import type { Asking } from './asking.ts';
import type { Summarise } from './context/fitted.ts';
import type { Summaries, SummaryAsk } from './context/summaries.ts';
import type { IntentReader } from './intent.ts';
import { questionOf } from './question-of.ts';
import type { RouteWorld } from './route-world.ts';
import { askSmall, type SmallAnswer, type SmallAskDeps } from './run/small-ask.ts';

export interface SideQuestionDeps extends SmallAskDeps {
  readonly summaries: Summaries;
  readonly intents: IntentReader;
}

const SUMMARY_MS = 60_000;
const SUMMARY_OUTPUT_TOKENS = 4096;
const INTENT_OUTPUT_TOKENS = 400;

/** The small models that can be asked now. One that is being tried again is left to real questions: those wait for its word. */
export function smallModels(world: RouteWorld): readonly Model[] {
  return world.roles.manager.filter(
    (model) => world.obstacle(model) === undefined && world.health(model).is === 'closed',
  );
}

/** What a small model takes a request for. */
export function askIntent(
  asking: Asking,
  models: readonly Model[],
  timeoutMs: number,
  deps: SideQuestionDeps,
): Promise<Intent> {
  const question = questionOf(asking.measured.request);
  return deps.intents.classify(
    { facts: asking.facts, question },
    ({ system, user, schema }) =>
      ask(asking, models, timeoutMs, deps, {
        ...said(system, user),
        responseFormat: { type: 'json_schema', name: 'intent', schema },
        maxOutputTokens: INTENT_OUTPUT_TOKENS,
      }),
    asking.by.signal,
  );
}

/** Makes texts shorter by asking a small model. */
export function summarising(
  asking: Asking,
  world: RouteWorld,
  deps: SideQuestionDeps,
): Summarise | undefined {
  const models = smallModels(world);
  if (models.length === 0) return undefined;
  const { signal, caller } = asking.by;
  const askFor: SummaryAsk = async ({ system, user }, maxTokens) => {
    const request = {
      ...said(system, user),
      maxOutputTokens: Math.min(maxTokens, SUMMARY_OUTPUT_TOKENS),
    };
    return (await ask(asking, models, SUMMARY_MS, deps, request)).text;
  };
  return (text, about) =>
    deps.summaries.summarise(text, { ...about, owner: caller.principal, signal }, askFor);
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

function ask(
  { by, deadline, ledger }: Asking,
  models: readonly Model[],
  timeoutMs: number,
  deps: SideQuestionDeps,
  request: SmallRequest,
): Promise<SmallAnswer> {
  const { principal } = by.caller;
  return askSmall(
    { models, request, principal, deadline, timeoutMs, signal: by.signal, ledger },
    deps,
  );
}

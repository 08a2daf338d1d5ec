import type { RouteFacts } from '#core/llm/route.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { PlanResult, PlannedModel } from '#manager/route/plan.ts';
import type { RoutingState } from '#manager/route/routing-state.ts';

/**
 * What is wrong with a decision, said in other words than the decision's own; nothing when it is
 * sound.
 */
export function faultsOf(
  planned: PlanResult,
  facts: RouteFacts,
  routing: RoutingState,
): readonly string[] {
  const { tried, leftOut } = planned.is === 'planned' ? planned.plan : planned;
  const candidates = planned.is === 'planned' ? planned.plan.candidates : [];
  const keys = [...candidates, ...leftOut].map(({ provider, model }) => `${provider} ${model}`);
  const reasons = [...candidates, ...leftOut, ...tried].map((each) =>
    baseRenderer.reason(each.reason),
  );
  const lastResort = candidates.findIndex(({ isLastResort }) => isLastResort);
  return [
    ...(planned.is === 'no_candidate' ? errorFaults(planned) : []),
    ...when(planned.is === 'planned' && candidates.length === 0, 'a plan without anybody'),
    ...when(new Set(keys).size !== keys.length, 'somebody stands there twice'),
    ...when(!reasons.every((text) => /\w{2}/.test(text)), 'somebody without a reason'),
    ...when(
      lastResort !== -1 && lastResort !== candidates.length - 1,
      'a quotation before a model',
    ),
    ...when(facts.fallback === 'none' && candidates.length > 1, 'a chain that nobody wanted'),
    ...when(
      tried.some(({ number }, index) => number !== index + 1),
      'rules out of order',
    ),
    ...candidates.flatMap((candidate) =>
      candidateFaults(candidate, facts, routing).map((fault) => `${candidate.model}: ${fault}`),
    ),
  ];
}

function errorFaults({
  error,
  tried,
}: Extract<PlanResult, { is: 'no_candidate' }>): readonly string[] {
  return [
    ...when(error.class === 'internal', 'an internal error'),
    ...when(error.message.length < 10, 'an error without words'),
    ...when(!error.fix, 'an error without a fix'),
    ...when(tried.length === 0, 'an error before any rule'),
  ];
}

function candidateFaults(
  candidate: PlannedModel,
  facts: RouteFacts,
  routing: RoutingState,
): readonly string[] {
  const { entry, roomTokens, thinking, search, isLastResort } = candidate;
  const { price, input } = entry;
  const correction = routing.correction(entry);
  const factor = Number.isFinite(correction) && correction > 0 ? correction : 1;
  const least = Math.min(facts.tokens, facts.questionTokens ?? facts.tokens - facts.files.tokens);
  const isFree = price
    ? price.input + price.cached + price.output === 0
    : entry.provider === 'custom';
  const isSpent = routing.budget !== undefined && routing.budget.leftMicroUsd <= 0;
  const limit = facts.maxCostMicroUsd ?? Infinity;
  const bound = candidate.maxCostMicroUsd ?? (limit === Infinity ? 0 : Infinity);
  return [
    ...when(routing.obstacle(entry) !== undefined, 'cannot be asked at all'),
    ...when(routing.health(entry).is === 'open', 'rests'),
    ...when(roomTokens >= entry.contextTokens, 'has no room for an answer'),
    ...when(roomTokens * 2 < entry.contextTokens, 'keeps more than half of its window'),
    ...when(least * factor > roomTokens, 'does not hold the question'),
    ...when(search === 'provider' && !routing.canSearch(entry), 'cannot search'),
    ...when(search === 'provider' && facts.search === 'off', 'searches unwanted'),
    ...when(
      thinking?.mode === 'off' && entry.thinking.control !== 'switch',
      'cannot stop thinking',
    ),
    ...when(
      thinking?.effort !== undefined && !entry.thinking.efforts.includes(thinking.effort),
      'does not know the effort',
    ),
    ...when(isSpent && (routing.whenSpent === 'refuse' || !isFree), 'costs money that is spent'),
    ...when(bound > limit, 'may cost more than allowed'),
    ...(isLastResort
      ? quotationFaults(facts, routing)
      : [
          ...when(facts.images > 0 && !input.includes('image'), 'sees no pictures'),
          ...when(facts.videos > 0 && !input.includes('video'), 'sees no videos'),
          ...when(
            (facts.files.attached ?? 0) > 0 &&
              !input.includes('file') &&
              entry.provider !== 'openrouter',
            'takes no documents',
          ),
          ...when(facts.tools > 0 && entry.tools === 'no', 'calls no tools'),
          ...when(facts.tools > entry.maxTools, 'takes fewer tools'),
        ]),
  ];
}

function quotationFaults(facts: RouteFacts, routing: RoutingState): readonly string[] {
  const mayBeNamed = [facts.model, routing.defaultModel].some((name) => /^local/i.test(name ?? ''));
  const isUnwanted = facts.lastResort === 'none' || routing.extractiveFallback === 'never';
  const needsModel = facts.tools + facts.images + facts.videos > 0 || facts.format !== 'text';
  return [
    ...when(isUnwanted && !mayBeNamed, 'is a quotation that nobody wants'),
    ...when(
      needsModel && routing.extractiveFallback !== 'always',
      'is a quotation where a model is needed',
    ),
  ];
}

function when(isWrong: boolean, fault: string): readonly string[] {
  return isWrong ? [fault] : [];
}

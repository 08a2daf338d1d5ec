import type { AskPlan, PlannedModel } from '../route/plan.ts';

/** A plan with only the candidates and the rule. */
export function planOf(candidates: readonly PlannedModel[], rule = 'simple-tool'): AskPlan {
  const [first, ...rest] = candidates;
  const hasFallback = rest.some(({ isLastResort }) => !isLastResort);
  return { rule, first, hasFallback, candidates } as unknown as AskPlan;
}

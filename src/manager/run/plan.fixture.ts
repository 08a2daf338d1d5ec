import type { AskPlan, PlannedModel } from '../route/plan.ts';

/** A plan with only the candidates and the rule. */
export function planOf(candidates: readonly PlannedModel[], rule = 'simple-tool'): AskPlan {
  const [first, ...rest] = candidates;
  const hasFallback = rest.some(({ isLastResort }) => !isLastResort);
  const hasOtherProvider = rest.some(
    ({ isLastResort, provider }) => !isLastResort && provider !== first?.provider,
  );
  return {
    rule,
    first,
    hasFallback,
    hasOtherProvider,
    isNameOnTrust: false,
    coolingDown: [],
    candidates,
  } as unknown as AskPlan;
}

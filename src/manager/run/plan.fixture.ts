import type { Plan, PlannedModel } from '../plan.ts';

/** A plan of which only the candidates and the rule matter. */
export function planOf(candidates: readonly PlannedModel[], rule = 'simple-tool'): Plan {
  const [first, ...rest] = candidates;
  const others = rest.some(({ isLastResort }) => !isLastResort) ? 'yes' : 'no';
  return { rule, first, others, candidates } as unknown as Plan;
}

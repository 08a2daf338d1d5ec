import { planOf, type Plan } from './plan.ts';
import type { PlantName } from './plants.ts';
import { createRandom } from './random.ts';
import { runPlan, type SimResult } from './run-plan.ts';

export function runSeed(
  seed: number,
  plant?: PlantName,
  tracing: 'traced' | 'untraced' = 'untraced',
): Promise<SimResult> {
  return runPlan({ seed, plan: planOfSeed(seed), plant, tracing });
}

export function planOfSeed(seed: number): Plan {
  return planOf(createRandom(seed).fork('plan'));
}

/**
 * The smallest part of a seed's plan that still breaks the same invariant, as far as dropping
 * actions finds it.
 */
export async function shrink(seed: number, plant?: PlantName): Promise<Plan> {
  let plan = planOfSeed(seed);
  const { violation } = await runPlan({ seed, plan, plant, tracing: 'untraced' });
  const isSame = async (smaller: Plan) => {
    const result = await runPlan({ seed, plan: smaller, plant, tracing: 'untraced' });
    return result.violation?.invariant === violation?.invariant;
  };
  if (!violation) return plan;
  for (let size = Math.ceil(plan.actions.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < plan.actions.length;) {
      const actions = plan.actions.toSpliced(from, size);
      if (await isSame({ ...plan, actions })) plan = { ...plan, actions };
      else from += size;
    }
  }
  return plan;
}

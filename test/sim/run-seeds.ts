import type { PlantName } from './plants.ts';
import { runPlan } from './run-plan.ts';
import { runSeed, shrink } from './run-seed.ts';

export interface SeedsResult {
  readonly seeds: number;
  readonly events: number;
  readonly calls: number;
  /** The first seed that broke an invariant. */
  readonly failedSeed: number | undefined;
}

/** Runs seed after seed until one breaks an invariant. */
export async function runSeeds(
  from: number,
  count: number,
  plant?: PlantName,
): Promise<SeedsResult> {
  let events = 0;
  let calls = 0;
  for (let seed = from; seed < from + count; seed++) {
    const result = await runSeed(seed, plant);
    events += result.events;
    calls += result.calls;
    if (result.violation) return { seeds: seed - from + 1, events, calls, failedSeed: seed };
  }
  return { seeds: count, events, calls, failedSeed: undefined };
}

const MAX_SHOWN_LINES = 80;
const MAX_SHOWN_CHARS = 300;

/**
 * What a person needs of a failing seed: what broke, the few actions that do it, how it went with
 * them, how to see the whole of it again. With fewer actions it often breaks at another call, so it
 * is told which was when.
 */
export async function describeFailure(seed: number, plant?: PlantName): Promise<string> {
  const { violation: whole } = await runSeed(seed, plant);
  const plan = await shrink(seed, plant);
  const { violation, trace } = await runPlan({ seed, plan, plant, tracing: 'traced' });
  const { actions, ...about } = plan;
  const shown = trace.slice(-MAX_SHOWN_LINES).map((line) => line.slice(0, MAX_SHOWN_CHARS));
  const planted = plant === undefined ? '' : ` --plant ${plant}`;
  return [
    `Seed ${seed} breaks "${whole?.invariant}" at ${whole?.atMs} ms: ${whole?.words}.`,
    `Set up as ${JSON.stringify(about)}`,
    `${actions.length} actions are enough:`,
    ...actions.map(({ atMs, by, act }) => `  ${atMs} ms  ${by} ${JSON.stringify(act)}`),
    `With these alone it breaks at ${violation?.atMs} ms: ${violation?.words}.`,
    trace.length > shown.length ? `The last ${shown.length} lines of its trace:` : 'Its trace:',
    ...shown,
    `See the whole of it: npm run sim -- --seed ${seed}${planted}`,
  ].join('\n');
}

import { sleepWhole } from '#core/time/clock.ts';
import { remainingMs } from '#core/time/deadline.ts';
import { modelIdentity } from '../route/routing-context.ts';
import type { PlannedModel } from '../route/plan.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import {
  areCallsUsedUp,
  remainingCandidates,
  takeNextCandidate,
  type RunState,
} from './run-state.ts';

/** How long a request waits for the probes of others, in each of its rounds after the first. */
const PROBE_WAIT_MS = 1000;
/** How often it looks whether one of them has succeeded. */
const PROBE_LOOK_MS = 100;
/** A request that had no attempt at all waits once more. */
const MAX_ROUNDS = 3;

/**
 * Gives the candidates of a run. When all of them have failed, those whose breakers are open
 * follow, the shortest cool-down first: a breaker may be wrong, and an attempt is better than none.
 */
export function createForcedProbes(
  state: RunState,
  run: RunContext,
  { breakers, clock }: RunDeps,
): { next(): Promise<PlannedModel | undefined> } {
  let rounds = 0;

  const waitMsOf = ({ entry }: PlannedModel) =>
    breakers.look({ provider: entry.provider, model: entry.id }).retryInMs ?? 0;

  function canProbe(): boolean {
    if (run.signal.aborted || remainingMs(run.deadline, clock) <= 0) return false;
    return !areCallsUsedUp(run);
  }

  /** Waits until a breaker lets calls through again, because the probe of another request succeeded. */
  async function untilProbed(models: readonly PlannedModel[]): Promise<void> {
    for (let leftMs = PROBE_WAIT_MS; leftMs > 0 && canProbe(); leftMs -= PROBE_LOOK_MS) {
      if (models.some((each) => waitMsOf(each) === 0)) return;
      const ms = Math.min(PROBE_LOOK_MS, remainingMs(run.deadline, clock));
      // oxlint-disable-next-line no-await-in-loop -- it looks again after each wait
      await sleepWhole(clock, ms, run.signal);
    }
  }

  /** The candidates of the next round; none if there is no further one. */
  async function startRound(): Promise<readonly PlannedModel[]> {
    rounds += 1;
    const models = new Map<string, PlannedModel>();
    const others = rounds === 1 ? run.plan.coolingDown : [];
    for (const each of [...state.refused, ...others]) models.set(modelIdentity(each.entry), each);
    state.refused = [];
    state.acquire = 'forced';
    if (models.size === 0) return [];
    if (rounds > 1) {
      const hadAttempt = state.failures.some((error) => error.class !== 'breaker_open');
      if (rounds > MAX_ROUNDS - (hadAttempt ? 1 : 0)) return [];
      await untilProbed([...models.values()]);
      if (!canProbe()) return [];
    }
    const inOrder = [...models.values()].toSorted((a, b) => waitMsOf(a) - waitMsOf(b));
    // The models of a provider mostly fail together, so one of each is enough.
    const providers = new Set<string>();
    return inOrder.filter(({ provider }) => !providers.has(provider) && providers.add(provider));
  }

  return {
    async next() {
      const [first] = remainingCandidates(state);
      const isLast = first === undefined || first.isLastResort;
      if (isLast && canProbe())
        state.left = [...(await startRound()), ...remainingCandidates(state)];
      return takeNextCandidate(state);
    },
  };
}

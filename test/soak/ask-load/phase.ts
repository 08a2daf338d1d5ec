import type { Emulator } from '../../../emulator/start.ts';
import { stateOf } from './breaker-life.ts';
import type { Crumbs } from './crumbs.ts';
import type { Answered, Load } from './load.ts';
import type { Outage } from './outages.ts';
import type { Seeing } from './seen.ts';

/** One outage under load, and the time until everybody is asked again. */
export interface Phase {
  readonly outage: Outage;
  readonly beganAtMs: number;
  /** When the vendor was well again. */
  readonly endedAtMs: number;
  readonly during: readonly Answered[];
  readonly after: readonly Answered[];
  /** Who was still left alone when waiting for it was given up. */
  readonly unrecovered: readonly string[];
}

/** The models that the questions of the load ask for first. */
const LEADERS = {
  glm: ['glm/glm-4.7-flash', 'glm/glm-5.3'],
  kimi: ['kimi/kimi-k2.6', 'kimi/kimi-k3'],
} as const;

/** Many times the longest rest; by then it is clear that it does not come back. */
const MOST_RECOVERY_MS = 30_000;
const AFTERWARDS_MS = 3000;

export interface PhaseOptions {
  readonly emulator: Emulator;
  readonly crumbs: Crumbs;
  readonly seeing: Seeing;
  readonly load: Load;
}

export async function runPhase(outage: Outage, harness: PhaseOptions): Promise<Phase> {
  const { emulator, crumbs, seeing, load } = harness;
  const { faults, seconds, vendor } = outage;
  const look = () => {
    seeing.look();
    crumbs.read();
  };
  const beganAtMs = Date.now();
  replan(emulator, faults);
  const during = await load.run(
    () => Date.now() >= beganAtMs + seconds * 1000,
    () => {
      look();
      replan(emulator, faults);
    },
  );
  emulator.clearFaults();
  const endedAtMs = Date.now();
  const leaders = vendor ? LEADERS[vendor] : [];
  const resting = () => leaders.filter((key) => stateOf(crumbs.changes, key) !== 'closed');
  let restedUntilMs = endedAtMs;
  const after = await load.run(() => {
    const now = Date.now();
    if (resting().length > 0 && now < endedAtMs + MOST_RECOVERY_MS) restedUntilMs = now;
    return now >= restedUntilMs + AFTERWARDS_MS;
  }, look);
  return { outage, beganAtMs, endedAtMs, during, after, unrecovered: resting() };
}

/** Faults that come a certain number of times are planned anew before they are used up. */
function replan(emulator: Emulator, faults: Outage['faults']): void {
  emulator.clearFaults();
  if (faults.length > 0) emulator.fault(faults);
}

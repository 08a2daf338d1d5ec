import type { SeededRandom } from './random.ts';
import type { Simulation } from './simulation.ts';

const MINUTE_MS = 60_000;
/** Daemons that share a store differ by so much at most. */
const SKEWS_MS = [-5 * MINUTE_MS, -MINUTE_MS, MINUTE_MS, 5 * MINUTE_MS];
const LATEST_JUMP_MS = 20_000;

/** How far the wall clock of a process is off: differently from other processes, and it may jump once, either way. */
export function createClockSkew(simulation: Simulation, random: SeededRandom): () => number {
  const pick = () => (random.chance(0.3) ? random.pick(SKEWS_MS) : 0);
  const [atFirst, later] = [pick(), pick()];
  const jumpAt = simulation.now + random.between(0, LATEST_JUMP_MS);
  return () => (simulation.now < jumpAt ? atFirst : later);
}

import type { Random } from '#core/random.ts';
import { unitRandom } from '#resilience/random-float.ts';

const FIRST_MS = 1_000;
const MAX_MS = 60_000;

/**
 * How long a server that failed so many times in a row is not tried: doubled each time, with half
 * of it random, so that servers that failed together do not start together.
 */
export function restartDelayMs(failures: number, random: Random): number {
  const spanMs = Math.min(MAX_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return spanMs / 2 + (unitRandom(random) * spanMs) / 2;
}

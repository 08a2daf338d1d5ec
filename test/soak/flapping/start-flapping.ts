import type { Emulator } from '../../../emulator/start.ts';
import { createRandom } from '../../sim/random.ts';

const FAULTS = ['F5.silent', 'F5.silent', 'F4.503', 'F5.reset'] as const;
const VENDORS = ['kimi', 'glm'] as const;
const LEAST_MS = 5000;
const MOST_MS = 15_000;

/** Of two vendors at most one is down, for 5 to 15 seconds each time; a quarter of the time none. */
export function startFlapping(emulator: Emulator, seed: number): { stop(): void } {
  const random = createRandom(seed);
  let timer: NodeJS.Timeout | undefined;

  function next(): void {
    emulator.clearFaults();
    if (random.chance(0.75)) {
      const id = random.pick(FAULTS);
      emulator.fault({ id, vendor: random.pick(VENDORS), path: '/chat', times: 0 });
    }
    timer = setTimeout(next, random.between(LEAST_MS, MOST_MS));
  }

  next();
  return {
    stop() {
      clearTimeout(timer);
      emulator.clearFaults();
    },
  };
}

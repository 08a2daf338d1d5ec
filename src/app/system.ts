import { randomFillSync } from 'node:crypto';
import type { Clock } from '#core/clock.ts';
import type { Random } from '#core/random.ts';

/** The machine's own clock, timers and randomness. Everything below app/ is handed these or a simulated pair. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    timer.unref();
    return { stop: () => clearTimeout(timer) };
  },
};

export const systemRandom: Random = (bytes) => randomFillSync(new Uint8Array(bytes));

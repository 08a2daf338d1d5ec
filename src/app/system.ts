import { randomFillSync } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { Clock } from '#core/time/clock.ts';
import type { Random } from '#core/random.ts';

/** The effects of the machine. Everything below app/ gets these or simulated ones. */
export interface System {
  readonly clock: Clock;
  readonly random: Random;
  /** Prints a warning for the user who started the process, when the log cannot take it. */
  warn(sentence: string): void;
}

/** The machine's own clock, timers and randomness. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    timer.unref();
    return { stop: () => clearTimeout(timer) };
  },
};

// A system call costs the same for ten bytes as for thousands, and every request id needs ten.
const pool = new Uint8Array(4096);
let used = pool.length;

export const systemRandom: Random = (bytes) => {
  if (bytes > pool.length) return randomFillSync(new Uint8Array(bytes));
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.slice(used - bytes, used);
};

export const system: System = {
  clock: systemClock,
  random: systemRandom,
  warn(sentence) {
    try {
      writeSync(2, `exai: ${sentence}\n`);
    } catch {
      // The parent may be gone; a daemon continues without it.
    }
  },
};

const LONG_MS = 2 ** 31 - 1;

/** Keeps the process alive until the work ends: the timers of a clock do not. */
export async function keepAlive<T>(work: Promise<T>): Promise<T> {
  const hold = setInterval(() => undefined, LONG_MS);
  try {
    return await work;
  } finally {
    clearInterval(hold);
  }
}

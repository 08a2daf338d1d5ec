import type { Random } from '#core/random.ts';

const FIRST_MS = 50;
const FACTOR = 1.5;
const MOST_MS = 2000;

/** How long to wait before the nth try, counted from 1: between half and all of a span that grows. */
export function backoffMs(tries: number, random: Random): number {
  const span = Math.min(MOST_MS, FIRST_MS * FACTOR ** (tries - 1));
  return span * (0.5 + (random(1)[0] ?? 0) / 510);
}

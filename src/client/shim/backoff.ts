import type { Random } from '#core/random.ts';

const FIRST_MS = 50;
const FACTOR = 1.5;
const MOST_MS = 2000;
const FIRST_REFUSED_MS = 500;
const MOST_REFUSED_MS = 5000;

/** How long to wait before the nth try, counted from 1: between half and all of a span that grows. */
export function backoffMs(tries: number, random: Random): number {
  const span = Math.min(MOST_MS, FIRST_MS * FACTOR ** (tries - 1));
  return span * (0.5 + (random(1)[0] ?? 0) / 510);
}

/** How long no daemon is started after the nth in a row that did not come up, counted from 1. */
export function refusedMs(refusals: number): number {
  return Math.min(MOST_REFUSED_MS, FIRST_REFUSED_MS * 2 ** (refusals - 1));
}

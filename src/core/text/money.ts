/**
 * Money is stored as integer micro-dollars, so that sums stay exact; dollars appear only in output
 * and on wires.
 */
const MICRO = 1_000_000;

export function toUsd(microUsd: number): number {
  return microUsd / MICRO;
}

export function toMicroUsd(usd: number): number {
  return Math.round(usd * MICRO);
}

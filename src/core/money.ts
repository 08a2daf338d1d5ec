/** Money is integer micro-dollars inside, so that sums stay exact; dollars appear only where a person or a wire sees them. */
const MICRO = 1_000_000;

export function toUsd(microUsd: number): number {
  return microUsd / MICRO;
}

export function toMicroUsd(usd: number): number {
  return Math.round(usd * MICRO);
}

/** Money is integer micro-dollars inside; dollars appear only where a person or a wire sees them. */
export type MicroUsd = number;

const MICRO = 1_000_000;

export function toUsd(micro: MicroUsd): number {
  return micro / MICRO;
}

export function fromUsd(usd: number): MicroUsd {
  return Math.round(usd * MICRO);
}

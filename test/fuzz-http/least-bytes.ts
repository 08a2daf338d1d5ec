import { readGauges, type Gauged } from './gauges.ts';

/** It is swept often, so that what stays is what is held. */
export const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=128 --max-semi-space-size=2' };

export interface LeastBytes {
  readonly warm: number;
  readonly last: number;
}

/**
 * The least memory that the daemon takes after some cycles, and after as many more. The heap grows
 * to its working size first; what it grows by after that is a leak.
 */
export async function leastBytes(
  daemon: Gauged,
  cycles: number,
  cycle: (n: number) => Promise<void>,
): Promise<LeastBytes> {
  const least = async (from: number) => {
    let bytes = Number.POSITIVE_INFINITY;
    for (let n = from; n < from + cycles; n++) {
      await cycle(n);
      bytes = Math.min(bytes, (await readGauges(daemon)).residentBytes);
    }
    return bytes;
  };
  return { warm: await least(0), last: await least(cycles) };
}

import { toUsd } from './money.ts';

/** Less than this would be no money at all with four digits. */
const SMALLEST_ROUNDED = 100;

/** `$2.50`, `$0.0123`, `$0.000007`: at least two digits after the point, and no more than tell something. */
export function dollars(microUsd: number): string {
  const digits = microUsd !== 0 && Math.abs(microUsd) < SMALLEST_ROUNDED ? 6 : 4;
  return `$${toUsd(microUsd)
    .toFixed(digits)
    .replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

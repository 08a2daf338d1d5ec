import type { ExhaustedBalance, SpendingFinding } from '../diagnostics/diagnostics.ts';
import { toUsd } from './money.ts';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats seconds in the largest fitting unit: `3 minutes`, `1 day`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [name, size] = UNITS.find(([, each]) => whole >= each) ?? UNITS[3];
  const count = Math.floor(whole / size);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** A whole number for people: `361,364`. */
export function formatWhole(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 file`, `2,000 files`. */
export function formatQuantity(count: number, noun: string): string {
  return `${formatWhole(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Smaller amounts would be $0.0000 with four digits. */
const SMALLEST_ROUNDED = 100;

/** `$1,002.50`, `$0.0123`, `$0.000007`: at least two decimals, without trailing zeros. */
export function formatUsd(microUsd: number): string {
  const digits = microUsd !== 0 && Math.abs(microUsd) < SMALLEST_ROUNDED ? 6 : 4;
  return `$${toUsd(microUsd)
    .toFixed(digits)
    .replace(/(\.\d\d\d*?)0+$/, '$1')
    .replace(/^-?\d{4,}/, (whole) => formatWhole(Number(whole)))}`;
}

/** Formats the size of a context window: 1M, 200k, 8k. */
export function formatWindow(tokens: number): string {
  if (tokens >= 1_000_000) return `${Math.round(tokens / 100_000) / 10}M`;
  return tokens >= 1000 ? `${Math.round(tokens / 1000)}k` : String(tokens);
}

const MEGABYTE = 1_000_000;

/** Formats bytes as megabytes: `2 MB`, `5.1 MB`, `0.25 MB`. */
export function formatMegabytes(bytes: number): string {
  const digits = bytes % MEGABYTE === 0 ? 0 : bytes < MEGABYTE ? 2 : 1;
  return `${(bytes / MEGABYTE).toFixed(digits)} MB`;
}

/**
 * `$0.0123 for 5 requests to models, 1 of them without a known price`. Undefined without requests.
 */
export function formatSpentToday(spending: SpendingFinding): string | undefined {
  const { calls, costMicroUsd } = spending;
  if (calls === 0) return undefined;
  const requests = `${formatWhole(calls)} request${calls === 1 ? '' : 's'} to models`;
  return [`${formatUsd(costMicroUsd)} for ${requests}`, ...remarks(spending)].join(', ');
}

function remarks({ calls, unpriced, estimated }: SpendingFinding): string[] {
  const some = (count: number, what: string) =>
    count === 0 ? [] : [count === calls ? what : `${formatWhole(count)} of them ${what}`];
  return [...some(unpriced, 'without a known price'), ...some(estimated, 'estimated')];
}

/** `$0.38 left; laptop has spent $0.12 of $0.50 today (budget.clientDailyUsd)` */
export function formatBudgetLeft({ budget }: Pick<SpendingFinding, 'budget'>): string | undefined {
  return budget && `${formatUsd(budget.leftMicroUsd)} left; ${budget.because}`;
}

/** `used up at kimi (quota), glm (billing)` */
export function formatExhausted(exhausted: readonly ExhaustedBalance[]): string | undefined {
  if (exhausted.length === 0) return undefined;
  const names = exhausted.map(({ provider, errorClass }) => `${provider} (${errorClass})`);
  return `used up at ${names.join(', ')}`;
}

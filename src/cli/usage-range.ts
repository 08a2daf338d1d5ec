import { CallError } from '#core/call-error.ts';
import { oneLine } from '#core/one-line.ts';
import { DAY_MS, isUtcDay, utcDay } from '#core/utc-day.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 36_500;
const SHOWN_CHARS = 40;

export interface RangeOptions {
  readonly days?: string;
  readonly from?: string;
  readonly to?: string;
}

/** The days that are asked about, in UTC, both ends included: the last thirty unless told. */
export function usageRange(
  { days, from, to }: RangeOptions,
  nowMs: number,
): { readonly fromDay: string; readonly toDay: string } {
  if (days !== undefined && (from !== undefined || to !== undefined)) {
    throw refusal('--days', '--days and --from or --to say two different things; give one.');
  }
  const toDay = to === undefined ? utcDay(nowMs) : dayIn('--to', to);
  if (from !== undefined) {
    const fromDay = dayIn('--from', from);
    if (fromDay <= toDay) return { fromDay, toDay };
    throw refusal('--from', `--from ${fromDay} is later than ${toDay}.`);
  }
  const count = days === undefined ? DEFAULT_DAYS : countIn(days);
  const lastMs = Date.parse(`${toDay}T00:00:00Z`);
  // Before the year 0 there is nothing that a day could be compared with.
  const firstMs = Math.max(Date.parse('0000-01-01T00:00:00Z'), lastMs - (count - 1) * DAY_MS);
  return { fromDay: utcDay(firstMs), toDay };
}

function dayIn(option: string, text: string): string {
  if (isUtcDay(text)) return text;
  throw refusal(option, `${option} must be a day, but is "${oneLine(text, SHOWN_CHARS)}".`);
}

function countIn(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_DAYS) return count;
  const shown = oneLine(text, SHOWN_CHARS);
  throw refusal('--days', `--days must be a number from 1 to ${MAX_DAYS}, but is "${shown}".`);
}

function refusal(field: string, message: string): CallError {
  const fix = 'exai usage --days 7, or exai usage --from 2026-01-01 --to 2026-01-31';
  return new CallError('validation', message, { field, fix });
}

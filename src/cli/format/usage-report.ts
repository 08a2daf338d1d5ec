import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { UsageAmounts, UsageGroup, UsageSum } from '#core/stores/usage.ts';
import { formatUsd, formatWhole } from '#core/text/format.ts';
import { oneLine } from '#core/text/text.ts';
import { DAY_MS, isUtcDay, utcDay } from '#core/time/utc-day.ts';
import type { Io } from '../io.ts';
import { escapeControls } from './escape-controls.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 36_500;
const SHOWN_CHARS = 40;

export interface UsageRangeOptions {
  readonly days?: string;
  readonly from?: string;
  readonly to?: string;
}

/** The days of the report in UTC, both ends included. Defaults to the last thirty. */
export function readUsageRange(
  { days, from, to }: UsageRangeOptions,
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
  // Days are compared as text, which works from the year 0 on.
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

interface UsageTable {
  readonly by: UsageGroup;
  readonly rows: readonly UsageSum[];
  readonly total: UsageAmounts;
}

/** The table of `exai usage`: heading, rows and total, with aligned numbers. */
export function formatUsageRows(
  { by, rows, total }: UsageTable,
  { paint }: Pick<Io, 'paint'>,
): string[][] {
  const names = [by, ...(SECOND_COLUMN[by] ?? [])];
  const cells = [
    [...names, 'requests', 'in', 'cached', 'out', 'cost'],
    ...rows.map((row) => [...namesOf(row, by), ...numbersOf(row)]),
    [...names.map((_, at) => (at === 0 ? 'total' : '')), ...numbersOf(total)],
  ];
  const widths = names
    .concat(NUMBERS)
    .map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const remarks = ['', ...rows.map(remarksOf), remarksOf(total)];
  return cells.map((row, line) => {
    const isHead = line === 0;
    const aligned = row.map((cell, at) =>
      at < names.length ? cell : cell.padStart(widths[at] ?? 0),
    );
    const [first = '', ...others] = aligned;
    if (isHead) return aligned.map((cell) => paint('dim', cell));
    return [paint('bold', first), ...others, paint('dim', remarks[line] ?? '')];
  });
}

const NUMBERS = ['requests', 'in', 'cached', 'out', 'cost'];

/** A model belongs to a provider; a client uses the access of the owner or of a token. */
const SECOND_COLUMN: Partial<Record<UsageGroup, readonly [string]>> = {
  model: ['provider'],
  client: ['access'],
};

function namesOf({ name, provider, principal }: UsageSum, by: UsageGroup): string[] {
  // Rows from before tools or clients were recorded have no name.
  const shown = name === '' ? 'unknown' : escapeControls(name);
  if (by === 'client') return [shown, accessOf(principal ?? '')];
  return by === 'model' ? [shown, escapeControls(provider ?? '')] : [shown];
}

function accessOf(principal: string): string {
  return principal === OWNER_PRINCIPAL ? 'owner' : escapeControls(principal);
}

function numbersOf(used: UsageAmounts): string[] {
  const { calls, input, cached, output } = used;
  return [...[calls, input, cached, output].map(formatWhole), costOf(used)];
}

/** Unpriced usage may have cost something, so it is not shown as free. */
function costOf({ calls, costMicroUsd, unpriced }: UsageAmounts): string {
  return calls > 0 && unpriced === calls && costMicroUsd === 0 ? '?' : formatUsd(costMicroUsd);
}

function remarksOf({ calls, unpriced, estimated }: UsageAmounts): string {
  const some = (count: number, what: string) =>
    count === 0 ? [] : [count === calls ? what : `${formatWhole(count)} ${what}`];
  return [...some(unpriced, 'unpriced'), ...some(estimated, 'estimated')].join(', ');
}

import { CallError } from '#core/errors/call-error.ts';

const UNIT_MS: Record<string, number> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const AGO = /^(\d{1,6})\s*([smhdw])$/;
const DATE =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(\d\d))(?:[Tt ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)([Zz]|[+-]\d\d:?\d\d)?)?$/;

export interface TimeRange {
  readonly sinceMs?: number;
  /** Exclusive. */
  readonly untilMs?: number;
}

/** Parses a range of two timestamps; either may be missing. */
export function parseTimeRange(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  nowMs: number,
): TimeRange {
  const sinceMs = since === undefined ? undefined : parseTimestamp(since, nowMs, 'since');
  const untilMs = until === undefined ? undefined : parseTimestamp(until, nowMs, 'until');
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
    throw new CallError('validation', '"since" is not before "until".', {
      field: 'since',
      fix: 'Swap them, or leave one out.',
    });
  }
  return {
    ...(sinceMs !== undefined && { sinceMs }),
    ...(untilMs !== undefined && { untilMs }),
  };
}

/** Parses a timestamp: ISO 8601, in UTC by default, or a time before now such as `15m`. */
export function parseTimestamp(text: string, nowMs: number, field: string): number {
  const [, count, unit = ''] = AGO.exec(text.trim()) ?? [];
  if (count !== undefined) return nowMs - Number(count) * (UNIT_MS[unit] ?? 0);
  const ms = dateMs(text.trim());
  if (ms !== undefined) return ms;
  throw new CallError('validation', `"${field}" must be a time.`, {
    field,
    fix: 'Write it like 2026-01-31T08:00:00Z, or as a time before now: 90s, 15m, 2h, 1d.',
  });
}

function dateMs(text: string): number | undefined {
  const [, date, day, time = '00:00', zone = 'Z'] = DATE.exec(text) ?? [];
  if (date === undefined || day === undefined) return undefined;
  const ms = Date.parse(`${date}T${time.replace(',', '.')}${zone.toUpperCase()}`);
  // Date.parse reads February 30 as March 2.
  const isInMonth = new Date(Date.parse(`${date}T00:00Z`)).getUTCDate() === Number(day);
  return Number.isNaN(ms) || !isInMonth ? undefined : ms;
}

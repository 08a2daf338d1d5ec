import type { Json } from '../json/json.ts';

/** Times in milliseconds since the epoch, as the daemons of one store have seen them. */
export interface ClockRecord {
  /** The latest time that is confirmed. */
  readonly trustedMs: number;
  /** A time too far from it, and for how long daemons have run with it. */
  readonly unconfirmed?: { readonly seenMs: number; readonly ranMs: number };
}

/** A wall clock that is too far from the latest confirmed time. */
export interface ClockJump {
  readonly direction: 'ahead' | 'behind';
  readonly trustedMs: number;
  readonly nowMs: number;
  /** How much longer daemons have to run with it until it is trusted. */
  readonly leftMs: number;
}

const DAY_MS = 86_400_000;
/** A machine may be off or asleep for so long, while no monotonic time passes. */
export const CLOCK_TOLERANCE_MS = 7 * DAY_MS;
/** Running for so long confirms a clock that jumped. */
export const CLOCK_CONFIRMED_AFTER_MS = 3 * DAY_MS;

/**
 * Whether a wall clock can be trusted: it is not further from the latest confirmed time than the
 * time that daemons ran since, `ranMs` of it in this process, and the tolerance.
 */
export function judgeClock(
  record: ClockRecord,
  nowMs: number,
  ranMs: number,
): { readonly record: ClockRecord; readonly jump?: ClockJump } {
  const { trustedMs, unconfirmed } = record;
  if (isWithin(nowMs - trustedMs, ranMs + (unconfirmed?.ranMs ?? 0))) {
    return { record: { trustedMs: Math.max(trustedMs, nowMs) } };
  }
  const goesOn = unconfirmed !== undefined && isWithin(nowMs - unconfirmed.seenMs, ranMs);
  // Daemons that run side by side confirm no more than the time that passed.
  const passedMs = goesOn ? Math.min(ranMs, Math.max(0, nowMs - unconfirmed.seenMs)) : 0;
  const ranWithItMs = goesOn ? unconfirmed.ranMs + passedMs : 0;
  if (ranWithItMs >= CLOCK_CONFIRMED_AFTER_MS) return { record: { trustedMs: nowMs } };
  return {
    record: { trustedMs, unconfirmed: { seenMs: nowMs, ranMs: ranWithItMs } },
    jump: {
      direction: nowMs > trustedMs ? 'ahead' : 'behind',
      trustedMs,
      nowMs,
      leftMs: CLOCK_CONFIRMED_AFTER_MS - ranWithItMs,
    },
  };
}

function isWithin(differenceMs: number, ranMs: number): boolean {
  return differenceMs >= -CLOCK_TOLERANCE_MS && differenceMs <= ranMs + CLOCK_TOLERANCE_MS;
}

/** A stored record; undefined if there is none or it is damaged. */
export function readClockRecord(value: Json | undefined): ClockRecord | undefined {
  const { trustedMs, unconfirmed } = fieldsOf(value);
  if (!isTime(trustedMs)) return undefined;
  const { seenMs, ranMs } = fieldsOf(unconfirmed);
  return isTime(seenMs) && isTime(ranMs)
    ? { trustedMs, unconfirmed: { seenMs, ranMs } }
    : { trustedMs };
}

export function writeClockRecord({ trustedMs, unconfirmed }: ClockRecord): Json {
  return { trustedMs, ...(unconfirmed && { unconfirmed: { ...unconfirmed } }) };
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The latest time of a `Date`. */
const LATEST_MS = 8_640_000_000_000_000;

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LATEST_MS;
}

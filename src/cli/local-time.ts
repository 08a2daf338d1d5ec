import { systemTimeZone } from '#config/time-zone.ts';
import { createTimestamps } from '#core/timestamps.ts';

const TO_THE_MINUTE = '2026-01-31 08:05'.length;

/** A moment as a clock on this machine showed it; what is no moment stays as it is. */
export function localTime(
  iso: string,
  precision: 'minute' | 'second',
  timeZone = systemTimeZone(),
): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return iso;
  const { timestamp_local: local } = createTimestamps(timeZone)(ms);
  return precision === 'minute' ? local.slice(0, TO_THE_MINUTE) : local;
}

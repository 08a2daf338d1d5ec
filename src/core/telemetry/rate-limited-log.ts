import type { Clock } from '../time/clock.ts';
import type { LogFields, Log } from './telemetry.ts';

const WINDOW_MS = 60_000;

/**
 * Logs events that untrusted clients can trigger at will, at a limited rate: so many lines a
 * minute, then the number of dropped lines. This keeps a client from flooding the log until real
 * lines are rotated away.
 */
export function createRateLimitedLog(
  log: Log,
  clock: Pick<Clock, 'after'>,
  perMinute: number,
  level: 'warn' | 'info' = 'warn',
): (event: string, fields: LogFields) => void {
  let written = 0;
  let left = 0;
  return (event, fields) => {
    if (written === 0) {
      clock.after(WINDOW_MS, () => {
        if (left > 0) log[level](`${event}_more`, { left_out: left });
        [written, left] = [0, 0];
      });
    }
    if (written < perMinute) {
      written += 1;
      log[level](event, fields);
    } else left += 1;
  };
}

import type { Clock } from './clock.ts';
import type { Fields, Log } from './telemetry.ts';

const WINDOW_MS = 60_000;

/**
 * Writes lines, warnings unless told, for events that strangers can cause at will: so many lines a minute, then the number of those left out, so that
 * nobody can rotate the real log away.
 */
export function sparingWarn(
  log: Log,
  clock: Pick<Clock, 'after'>,
  perMinute: number,
  level: 'warn' | 'info' = 'warn',
): (event: string, fields: Fields) => void {
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

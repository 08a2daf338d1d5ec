import type { Log, LogFields } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';

const WINDOW_MS = 60_000;
/** Enough for people who watch the log; the audit has every call. */
const LINES_PER_WINDOW = 600;

/**
 * Logs calls that succeeded, so many a minute; the number of the others comes with the next minute's
 * first call. It needs no timer, so an idle daemon stays idle.
 */
export function createCallLog(log: Log, clock: Pick<Clock, 'monotonic'>) {
  let windowStartMs = Number.NEGATIVE_INFINITY;
  let written = 0;
  let leftOut = 0;
  return (fields: LogFields): void => {
    const nowMs = clock.monotonic();
    if (nowMs - windowStartMs >= WINDOW_MS) {
      if (leftOut > 0) log.info('call_ended_more', { left_out: leftOut });
      [windowStartMs, written, leftOut] = [nowMs, 0, 0];
    }
    if (written < LINES_PER_WINDOW) {
      written += 1;
      log.info('call_ended', fields);
    } else leftOut += 1;
  };
}

import type { Clock } from '#core/time/clock.ts';

/** The concurrency limit that a refusal names: `max organization concurrency: 1`. */
export function readConcurrency(text: string): number | undefined {
  const named = /\bconcurrency\D{0,12}?(\d{1,5})\b/i.exec(text)?.[1];
  const limit = Number(named);
  return named !== undefined && limit > 0 ? limit : undefined;
}

const MAX_RESET_SECONDS = 86_400;

/**
 * How long no request is left, by the headers `X-RateLimit-Remaining` and `X-RateLimit-Reset`
 * (seconds, or a time in seconds or milliseconds since 1970); undefined if requests are left.
 */
export function readPauseMs(
  headers: Readonly<Record<string, string>>,
  clock: Pick<Clock, 'now'>,
): number | undefined {
  const remaining = headers['x-ratelimit-remaining'];
  const reset = headers['x-ratelimit-reset'];
  if (remaining === undefined || reset === undefined || Number(remaining) !== 0) return undefined;
  const value =
    /^\s*\d{1,15}(?:\.\d+)?\s*$/.test(reset) && remaining.trim() !== ''
      ? Number(reset)
      : Number.NaN;
  if (Number.isNaN(value)) return undefined;
  if (value <= MAX_RESET_SECONDS) return value * 1000;
  const at = value > 1e11 ? value : value * 1000;
  return Math.max(0, at - clock.now());
}

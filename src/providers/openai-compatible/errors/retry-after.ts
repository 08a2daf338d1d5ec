import type { Clock } from '#core/time/clock.ts';

const MAX_MS = 7 * 24 * 3_600_000;

/**
 * Reads how long the vendor asks to wait: from the `Retry-After` headers (seconds, milliseconds or
 * a date) or from its message.
 */
export function readRetryAfter(
  headers: Readonly<Record<string, string>>,
  message: string,
  clock: Pick<Clock, 'now'>,
): number | undefined {
  return (
    milliseconds(headers['retry-after-ms'], 1) ??
    milliseconds(headers['retry-after'], 1000) ??
    untilDate(headers['retry-after'], clock) ??
    milliseconds(headers['x-retry-after'], 1000) ??
    milliseconds(/(?:try again|retry) (?:after|in) (\d+(?:\.\d+)?) ?s/i.exec(message)?.[1], 1000)
  );
}

function milliseconds(text: string | undefined, unit: number): number | undefined {
  if (text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  return Math.min(Math.ceil(Number(text) * unit), MAX_MS);
}

function untilDate(text: string | undefined, clock: Pick<Clock, 'now'>): number | undefined {
  // Date.parse accepts nearly anything.
  const isDate = text !== undefined && /^\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT$/.test(text.trim());
  const at = isDate ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - clock.now()), MAX_MS);
}

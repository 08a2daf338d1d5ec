import { systemTimeZone } from '#config/schema/time-zone.ts';
import { oneLine } from '#core/text/text.ts';
import { createTimestamps } from '#core/time/timestamps.ts';

/** Shortens a text to one line, cut at the end of a word. */
export function truncateAtWord(text: string, maxChars: number): string {
  const line = oneLine(text, maxChars);
  if (text.length <= maxChars) return line;
  // The cut may already be at the end of a word; losing one more word does no harm.
  const end = line.lastIndexOf(' ');
  return end < maxChars / 2 ? line : `${line.slice(0, end).replace(/[\s,;:(–-]+$/, '')} …`;
}

/** The first sentence of a description. */
export function firstSentence(text: string): string {
  const [first = ''] = text.split(/(?<=[.!?])\s|\n/, 1);
  return first.trim();
}

export function describeTurnCount(turns: number): string {
  return turns === 1 ? '1 turn' : `${turns} turns`;
}

const TO_THE_MINUTE = '2026-01-31 08:05'.length;

/** A timestamp in local time. An invalid one is returned unchanged. */
export function formatLocalTime(
  iso: string,
  precision: 'minute' | 'second',
  timeZone = systemTimeZone(),
): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return iso;
  const { timestamp_local: local } = createTimestamps(timeZone)(ms);
  return precision === 'minute' ? local.slice(0, TO_THE_MINUTE) : local;
}

/** A whole number with separators: `12,345`. */
export function formatInteger(count: number): string {
  return count.toLocaleString('en-US');
}

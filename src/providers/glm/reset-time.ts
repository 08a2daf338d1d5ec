import type { Clock } from '#core/clock.ts';
import type { VendorError } from '../wire/read-error.ts';

const HOUR_MS = 3_600_000;
/** The vendor writes its own time and names no zone. */
const VENDOR_OFFSET_MS = 8 * HOUR_MS;
const LONGEST_MS = 32 * 24 * HOUR_MS;
const WRITTEN =
  /(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?/;

/** How long until a used-up allowance is filled again: a member of its own, or a date within the sentence. */
export function readResetTime(
  { body, message }: Pick<VendorError, 'body' | 'message'>,
  clock: Pick<Clock, 'now'>,
): number | undefined {
  const at = moment(body['next_flush_time']) ?? moment(message);
  if (at === undefined) return undefined;
  const waitMs = at - clock.now();
  return waitMs > 0 && waitMs <= LONGEST_MS ? Math.ceil(waitMs) : undefined;
}

function moment(value: unknown): number | undefined {
  if (typeof value === 'number' && value > 0) return value < 1e11 ? value * 1000 : value;
  if (typeof value !== 'string') return undefined;
  if (/^\d{10}(\d{3})?$/.test(value)) return moment(Number(value));
  const found = WRITTEN.exec(value.slice(0, 2000));
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second = '00', zone] = found;
  const utc = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone ?? 'Z'}`);
  if (Number.isNaN(utc)) return undefined;
  return zone === undefined ? utc - VENDOR_OFFSET_MS : utc;
}

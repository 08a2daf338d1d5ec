import { argumentError } from '#core/argument-error.schema.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { fix } from '#core/messages/fixes.ts';
import {
  MetadataArgument,
  type ClientMetadata,
  type RequestMetadata,
} from '#core/request-metadata.schema.ts';
import { createTimestamps } from '#core/timestamps.ts';

/** The key under which a client may say when and where it is. */
export const METADATA_KEY = '_request_metadata';

export interface Place {
  readonly timezone: string;
  /** In words; empty when the zone says enough. */
  readonly location: string;
}

/** When and where a call is made, by the daemon's own clock and settings. */
export function createMetadata(
  { timezone, location }: Place,
  clock: Pick<Clock, 'now'>,
): () => RequestMetadata {
  const timestamps = createTimestamps(timezone);
  const geo = location === '' ? placeOf(timezone) : location;
  return () => {
    const { timestamp_utc, timestamp_local } = timestamps(clock.now());
    return {
      timestamp_utc,
      timestamp_local,
      timezone,
      ...(geo !== undefined && { geo_location: geo }),
    };
  };
}

/** What the client said of itself, once it is clear that it is what it should be. */
export function readClientMetadata(given: unknown): ClientMetadata {
  const argument = { [METADATA_KEY]: given };
  const { success, data, error } = MetadataArgument.safeParse(argument);
  if (success) return data[METADATA_KEY];
  const { message, field } = argumentError(METADATA_KEY, error, argument, MetadataArgument);
  throw new CallError('validation', message, {
    field: field ?? METADATA_KEY,
    fixes: [
      fix('omit_argument', { argument: METADATA_KEY }),
      'EX-AI adds its own. Or give timestamp_utc, timestamp_local, timezone and geo_location as texts.',
    ],
  });
}

/** `Australia/Melbourne` is Melbourne, Australia; a zone such as UTC or Etc/GMT+3 is no place. */
function placeOf(timezone: string): string | undefined {
  const [area, ...rest] = timezone.split('/');
  const city = rest.at(-1);
  if (area === undefined || area === 'Etc' || city === undefined) return undefined;
  return `${city.replaceAll('_', ' ')}, ${area}`;
}

import { argumentError } from '#core/errors/argument-error.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { fix } from '#core/messages/fixes.ts';
import {
  METADATA_KEY,
  MetadataArgument,
  type ClientMetadata,
  type RequestMetadata,
} from '#core/calls/request-metadata.schema.ts';
import { createZonedTimestamps } from '#core/time/timestamps.ts';

export interface DaemonLocation {
  readonly timezone: string;
  /** Free text; empty to derive it from the time zone. */
  readonly location: string;
}

/** Creates the metadata of a call from the daemon's clock and its settings at that time. */
export function createMetadata(
  settings: DaemonLocation,
  clock: Pick<Clock, 'now'>,
): () => RequestMetadata {
  const timestamps = createZonedTimestamps(() => settings.timezone);
  let zone = '';
  let place: string | undefined;
  return () => {
    const { timezone, location } = settings;
    if (timezone !== zone) place = placeOf(timezone);
    zone = timezone;
    const geo = location === '' ? place : location;
    const { timestamp_utc, timestamp_local } = timestamps(clock.now());
    return {
      timestamp_utc,
      timestamp_local,
      timezone,
      ...(geo !== undefined && { geo_location: geo }),
    };
  };
}

/** Validates metadata from the client. */
export function readClientMetadata(metadata: unknown): ClientMetadata {
  const argument = { [METADATA_KEY]: metadata };
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

/**
 * `Australia/Melbourne` is Melbourne, Australia; a zone such as UTC or Etc/GMT+3 is not a place.
 */
function placeOf(timezone: string): string | undefined {
  const [area, ...rest] = timezone.split('/');
  const city = rest.at(-1);
  if (area === undefined || area === 'Etc' || city === undefined) return undefined;
  return `${city.replaceAll('_', ' ')}, ${area}`;
}

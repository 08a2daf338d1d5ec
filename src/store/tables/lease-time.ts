import type { Clock } from '#core/time/clock.ts';
import type { Dialect, Value } from '../database.ts';

/** The time by which leases count, as a part of a statement. */
export interface LeaseTime {
  /** The time now, in milliseconds. */
  readonly sql: string;
  /** The parameters of `sql`. */
  params(): readonly Value[];
}

/** Nothing that may jump: leases of all daemons go by the server's clock, those of a single daemon by running time. */
export function createLeaseTime(
  dialect: Dialect,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): LeaseTime {
  if (dialect === 'postgres') {
    return { sql: 'cast(extract(epoch from now()) * 1000 as bigint)', params: () => [] };
  }
  // Like a time, so that rows of older versions are read in the same way; the next start frees what they hold.
  const startMs = clock.now() - clock.monotonic();
  return { sql: 'cast(? as integer)', params: () => [Math.round(startMs + clock.monotonic())] };
}

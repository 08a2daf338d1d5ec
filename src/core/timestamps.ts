import { createZone } from './time-zone.ts';

/** One moment as machines, people elsewhere and people here read it. */
export interface Timestamps {
  /** Seconds since the epoch, with a fraction: 1760054749.591. */
  timestamp_unix: number;
  /** 2025-10-10T00:05:49.591Z */
  timestamp_utc: string;
  /** 2025-10-10 11:05:49 AEDT */
  timestamp_local: string;
}

const SECOND = 1000;

/** Throws a RangeError when the zone is unknown. Both texts change once a second, so most calls only fill in milliseconds. */
export function createTimestamps(timeZone: string): (nowMs: number) => Timestamps {
  const zoneAt = createZone(timeZone);
  let second = Number.NaN;
  let utcToSecond = '';
  let local = '';
  return (nowMs) => {
    const current = Math.floor(nowMs / SECOND);
    if (current !== second) {
      const startMs = current * SECOND;
      const { offsetMs, abbreviation } = zoneAt(startMs);
      utcToSecond = isoToSecond(startMs);
      local = `${isoToSecond(startMs + offsetMs).replace('T', ' ')} ${abbreviation}`;
      second = current;
    }
    const millis = String(Math.floor(nowMs - current * SECOND)).padStart(3, '0');
    return {
      timestamp_unix: nowMs / SECOND,
      timestamp_utc: `${utcToSecond}.${millis}Z`,
      timestamp_local: local,
    };
  };
}

function isoToSecond(ms: number): string {
  return new Date(ms).toISOString().slice(0, -'.000Z'.length);
}

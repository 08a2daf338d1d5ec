/** One point in time as Unix time, UTC and local time. */
export interface Timestamps {
  /** Seconds since the epoch, with a fraction: 1760054749.591. */
  timestamp_unix: number;
  /** 2025-10-10T00:05:49.591Z */
  timestamp_utc: string;
  /** 2025-10-10 11:05:49 AEDT */
  timestamp_local: string;
}

const SECOND = 1000;

/**
 * Throws a RangeError for an unknown zone. Texts are cached per second, so most calls only fill in
 * the milliseconds.
 */
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

/** Timestamps in the zone that is set at the moment. */
export function createZonedTimestamps(timeZone: () => string): (nowMs: number) => Timestamps {
  let zone = timeZone();
  let timestamps = createTimestamps(zone);
  return (nowMs) => {
    const current = timeZone();
    if (current !== zone) {
      timestamps = createTimestamps(current);
      zone = current;
    }
    return timestamps(nowMs);
  };
}

function isoToSecond(ms: number): string {
  return new Date(ms).toISOString().slice(0, -'.000Z'.length);
}

interface ZoneMoment {
  /** Offset to add to UTC. */
  offsetMs: number;
  /** `AEDT`, `CET`, or `GMT+5:45` for zones without an abbreviation. */
  abbreviation: string;
}

const QUARTER_HOUR = 900_000;

// ICU knows an abbreviation only in the English of the place itself: AEDT in en-AU, CET in en-GB,
// PST in en-US. en-CA is not asked: what it calls Kathmandu and others changed with ICU 78, and
// Node 20 comes with either.
const LOCALES = [
  'en-US',
  'en-GB',
  'en-AU',
  'en-IN',
  'en-ZA',
  'en-NZ',
  'en-IE',
  'en-SG',
  'en-HK',
] as const;

const WESTERN_EUROPE = { 0: 'WET', 60: 'WEST' };

// Letters of the tz database that those locales do not give, or not in every ICU, by zone and
// minutes from UTC.
const LETTERS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'America/St_Johns': { [-210]: 'NST', [-150]: 'NDT' },
  'Asia/Famagusta': { 120: 'EET', 180: 'EEST' },
  'Asia/Hong_Kong': { 480: 'HKT' },
  'Asia/Jakarta': { 420: 'WIB' },
  'Asia/Jayapura': { 540: 'WIT' },
  'Asia/Jerusalem': { 120: 'IST', 180: 'IDT' },
  'Asia/Karachi': { 300: 'PKT' },
  'Asia/Macau': { 480: 'CST' },
  'Asia/Makassar': { 480: 'WITA' },
  'Asia/Manila': { 480: 'PST' },
  'Asia/Pontianak': { 420: 'WIB' },
  'Asia/Seoul': { 540: 'KST' },
  'Asia/Shanghai': { 480: 'CST' },
  'Asia/Singapore': { 480: 'SGT' },
  'Asia/Taipei': { 480: 'CST' },
  'Asia/Tokyo': { 540: 'JST' },
  'Atlantic/Azores': { [-60]: 'GMT-1', 0: 'GMT+0' },
  'Atlantic/Canary': WESTERN_EUROPE,
  'Atlantic/Faeroe': WESTERN_EUROPE,
  'Atlantic/Faroe': WESTERN_EUROPE,
  'Atlantic/Madeira': WESTERN_EUROPE,
  'Europe/Lisbon': WESTERN_EUROPE,
  'Europe/Moscow': { 180: 'MSK' },
};

/**
 * Offset and abbreviation of an IANA zone at a moment. Clocks change on quarter hours, so Intl is
 * asked once in each.
 */
function createZone(timeZone: string): (ms: number) => ZoneMoment {
  const wallClock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const canonical = wallClock.resolvedOptions().timeZone;
  const abbreviations = new Map<number, string>();
  let quarter = Number.NaN;
  let moment: ZoneMoment = { offsetMs: 0, abbreviation: 'UTC' };

  return (ms) => {
    const current = Math.floor(ms / QUARTER_HOUR);
    if (current === quarter) return moment;
    const offsetMs = offsetAt(wallClock, ms);
    let abbreviation = abbreviations.get(offsetMs);
    if (abbreviation === undefined) {
      abbreviation = LETTERS[canonical]?.[offsetMs / 60_000] ?? abbreviate(timeZone, ms);
      abbreviations.set(offsetMs, abbreviation);
    }
    quarter = current;
    moment = { offsetMs, abbreviation };
    return moment;
  };
}

function offsetAt(wallClock: Intl.DateTimeFormat, ms: number): number {
  const wholeSecond = Math.floor(ms / 1000) * 1000;
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of wallClock.formatToParts(wholeSecond)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSecond;
}

function abbreviate(timeZone: string, ms: number): string {
  let offset = 'UTC';
  for (const locale of LOCALES) {
    const name = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' })
      .formatToParts(ms)
      .find((part) => part.type === 'timeZoneName')?.value;
    if (name === undefined) continue;
    if (/^[A-Z]{2,5}$/.test(name)) return name;
    offset = name;
  }
  return offset;
}

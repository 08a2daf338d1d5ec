import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createTimestamps } from './timestamps.ts';

const october = Date.parse('2025-10-10T00:05:49.591Z');

verifies(
  'log:timestamps',
  'a timestamp has three forms, the local one with the zone’s abbreviation',
  () => {
    expect(createTimestamps('Australia/Melbourne')(october)).toEqual({
      timestamp_unix: 1760054749.591,
      timestamp_utc: '2025-10-10T00:05:49.591Z',
      timestamp_local: '2025-10-10 11:05:49 AEDT',
    });
  },
);

test.each([
  ['UTC', '2025-10-10 00:05:49 UTC'],
  ['America/Los_Angeles', '2025-10-09 17:05:49 PDT'],
  ['Europe/Berlin', '2025-10-10 02:05:49 CEST'],
  ['Europe/London', '2025-10-10 01:05:49 BST'],
  ['Pacific/Auckland', '2025-10-10 13:05:49 NZDT'],
  ['Asia/Kolkata', '2025-10-10 05:35:49 IST'],
  ['Asia/Tokyo', '2025-10-10 09:05:49 JST'],
  ['Japan', '2025-10-10 09:05:49 JST'],
  ['Asia/Seoul', '2025-10-10 09:05:49 KST'],
  ['Asia/Shanghai', '2025-10-10 08:05:49 CST'],
  ['Asia/Singapore', '2025-10-10 08:05:49 SGT'],
  ['Asia/Kathmandu', '2025-10-10 05:50:49 GMT+5:45'],
  ['America/Sao_Paulo', '2025-10-09 21:05:49 GMT-3'],
  ['America/St_Johns', '2025-10-09 21:35:49 NDT'],
  ['America/Caracas', '2025-10-09 20:05:49 GMT-4'],
  ['Asia/Bangkok', '2025-10-10 07:05:49 GMT+7'],
  ['Asia/Dhaka', '2025-10-10 06:05:49 GMT+6'],
  ['Asia/Jakarta', '2025-10-10 07:05:49 WIB'],
  ['Asia/Makassar', '2025-10-10 08:05:49 WITA'],
  ['Asia/Tehran', '2025-10-10 03:35:49 GMT+3:30'],
  ['Atlantic/Azores', '2025-10-10 00:05:49 GMT+0'],
  ['Atlantic/Faroe', '2025-10-10 01:05:49 WEST'],
])('%s reads %s', (zone, local) => {
  expect(createTimestamps(zone)(october).timestamp_local).toBe(local);
});

test.each([
  { zone: 'Australia/Melbourne', at: '2025-10-04T16:00:00Z', before: 'AEST', after: 'AEDT' },
  { zone: 'Australia/Melbourne', at: '2025-04-05T16:00:00Z', before: 'AEDT', after: 'AEST' },
  { zone: 'Europe/London', at: '2025-10-26T01:00:00Z', before: 'BST', after: 'GMT' },
  { zone: 'Europe/Lisbon', at: '2025-10-26T01:00:00Z', before: 'WEST', after: 'WET' },
  { zone: 'Australia/Lord_Howe', at: '2025-04-05T15:00:00Z', before: 'LHDT', after: 'LHST' },
])('$zone turns from $before to $after in the very second', ({ zone, at, before, after }) => {
  const timestamps = createTimestamps(zone);
  const change = Date.parse(at);
  const name = (ms: number) => timestamps(ms).timestamp_local.split(' ')[2];
  expect([name(change - 1), name(change), name(change - 1)]).toEqual([before, after, before]);
});

test('a clock that steps back, times before 1970 and fractions of a millisecond are formatted right', () => {
  const timestamps = createTimestamps('UTC');
  expect(timestamps(1000).timestamp_utc).toBe('1970-01-01T00:00:01.000Z');
  expect(timestamps(999.75).timestamp_utc).toBe('1970-01-01T00:00:00.999Z');
  expect(timestamps(-1).timestamp_utc).toBe('1969-12-31T23:59:59.999Z');
});

test('an unknown zone is refused when the timestamps are created', () => {
  expect(() => createTimestamps('Mars/Olympus')).toThrow(RangeError);
});

import { expect, test } from 'vitest';
import { parseTimestamp, parseTimeRange } from './time-range.ts';

const NOW = Date.UTC(2026, 0, 31, 12);

test.each([
  ['90s', NOW - 90_000],
  ['15m', NOW - 900_000],
  ['2h', NOW - 7_200_000],
  ['1d', NOW - 86_400_000],
  ['1w', NOW - 604_800_000],
  [' 0s ', NOW],
  ['2026-01-30', Date.UTC(2026, 0, 30)],
  ['2026-01-30T08:15', Date.UTC(2026, 0, 30, 8, 15)],
  ['2026-01-30 08:15:30', Date.UTC(2026, 0, 30, 8, 15, 30)],
  ['2026-01-30T08:15:30.5Z', Date.UTC(2026, 0, 30, 8, 15, 30, 500)],
  ['2026-01-30t08:15:30,25z', Date.UTC(2026, 0, 30, 8, 15, 30, 250)],
  ['2026-01-30T08:15+11:00', Date.UTC(2026, 0, 29, 21, 15)],
  ['2026-01-30T08:15-0330', Date.UTC(2026, 0, 30, 11, 45)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
])('%j is a moment', (text, ms) => {
  expect(parseTimestamp(text, NOW, 'since')).toBe(ms);
});

test.each([
  '',
  'yesterday',
  '1',
  '-1h',
  '1y',
  '15 minutes',
  '2026',
  '2026-13-01',
  '2026-02-30',
  '2026-01-30T25:00',
  '2026-01-30T08:15+99:00',
  '1234567h',
])('%j is none, and the field is named', (text) => {
  expect(() => parseTimestamp(text, NOW, 'until')).toThrow(
    expect.objectContaining({ class: 'validation', field: 'until' }),
  );
});

test('a window may be open on either side, but not end before it begins', () => {
  expect(parseTimeRange({}, NOW)).toEqual({});
  expect(parseTimeRange({ since: '1h' }, NOW)).toEqual({ sinceMs: NOW - 3_600_000 });
  expect(parseTimeRange({ until: '1h' }, NOW)).toEqual({ untilMs: NOW - 3_600_000 });
  expect(() => parseTimeRange({ since: '1h', until: '2h' }, NOW)).toThrow('"since" is not before');
});

import { expect, test } from 'vitest';
import { isUtcDay, utcDay } from './utc-day.ts';

test('a moment belongs to its day in UTC', () => {
  expect(utcDay(Date.UTC(2026, 0, 31, 23, 59, 59, 999))).toBe('2026-01-31');
  expect(utcDay(Date.UTC(2026, 1, 1))).toBe('2026-02-01');
});

test.each(['2026-01-31', '2024-02-29', '0000-01-01', '9999-12-31'])('%s is a day', (text) => {
  expect(isUtcDay(text)).toBe(true);
});

test.each(['', '2026-02-30', '2025-02-29', '2026-13-01', '2026-1-1', ' 2026-01-01', '__proto__'])(
  '%j is none',
  (text) => {
    expect(isUtcDay(text)).toBe(false);
  },
);

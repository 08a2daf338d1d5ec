import { expect, test } from 'vitest';
import { usageRange, type RangeOptions } from './usage-range.ts';

const NOW = Date.UTC(2026, 0, 31, 23, 59);

test.each<[RangeOptions, string, string]>([
  [{}, '2026-01-02', '2026-01-31'],
  [{ days: '1' }, '2026-01-31', '2026-01-31'],
  [{ days: '7' }, '2026-01-25', '2026-01-31'],
  [{ from: '2025-12-24' }, '2025-12-24', '2026-01-31'],
  [{ from: '2025-12-24', to: '2025-12-24' }, '2025-12-24', '2025-12-24'],
  [{ to: '2025-12-30' }, '2025-12-01', '2025-12-30'],
  [{ to: '0000-01-02' }, '0000-01-01', '0000-01-02'],
])('%j is from %s to %s', (options, fromDay, toDay) => {
  expect(usageRange(options, NOW)).toEqual({ fromDay, toDay });
});

test.each<[RangeOptions, string]>([
  [{ days: '0' }, '--days'],
  [{ days: '-1' }, '--days'],
  [{ days: '1.5' }, '--days'],
  [{ days: 'week' }, '--days'],
  [{ days: '36501' }, '--days'],
  [{ days: '9'.repeat(400) }, '--days'],
  [{ days: '7', from: '2026-01-01' }, '--days'],
  [{ days: '7', to: '2026-01-01' }, '--days'],
  [{ from: 'yesterday' }, '--from'],
  [{ from: '2026-02-30' }, '--from'],
  [{ from: '2026-02-01' }, '--from'],
  [{ to: '31.1.2026' }, '--to'],
])('%j is refused at %s', (options, field) => {
  expect(() => usageRange(options, NOW)).toThrow(
    expect.objectContaining({ class: 'validation', field, fix: expect.any(String) }) as Error,
  );
});

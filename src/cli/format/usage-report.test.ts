import { describe, expect, test } from 'vitest';
import type { UsageAmounts } from '#core/stores/usage.ts';
import { noColor } from './colors.ts';
import { formatColumns } from './layout.ts';
import { formatUsageRows, readUsageRange, type UsageRangeOptions } from './usage-report.ts';

describe('usage range', () => {
  const NOW = Date.UTC(2026, 0, 31, 23, 59);

  test.each<[UsageRangeOptions, string, string]>([
    [{}, '2026-01-02', '2026-01-31'],
    [{ days: '1' }, '2026-01-31', '2026-01-31'],
    [{ days: '7' }, '2026-01-25', '2026-01-31'],
    [{ from: '2025-12-24' }, '2025-12-24', '2026-01-31'],
    [{ from: '2025-12-24', to: '2025-12-24' }, '2025-12-24', '2025-12-24'],
    [{ to: '2025-12-30' }, '2025-12-01', '2025-12-30'],
    [{ to: '0000-01-02' }, '0000-01-01', '0000-01-02'],
  ])('%j is from %s to %s', (options, fromDay, toDay) => {
    expect(readUsageRange(options, NOW)).toEqual({ fromDay, toDay });
  });

  test.each<[UsageRangeOptions, string]>([
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
    expect(() => readUsageRange(options, NOW)).toThrow(
      expect.objectContaining({ class: 'validation', field, fix: expect.any(String) }) as Error,
    );
  });
});

describe('usage rows', () => {
  const AMOUNTS: UsageAmounts = {
    calls: 2,
    input: 1200,
    output: 30,
    cached: 0,
    reasoning: 0,
    costMicroUsd: 12_300,
    unpriced: 0,
    estimated: 0,
  };

  function table(used: Parameters<typeof formatUsageRows>[0]): string[] {
    return formatColumns(formatUsageRows(used, { paint: noColor }), '')
      .trimEnd()
      .split('\n');
  }

  test('models stand with their providers, numbers under each other, and what is not sure is marked', () => {
    const rows = [
      { name: 'kimi-k3', provider: 'kimi', ...AMOUNTS, estimated: 1 },
      { name: 'glm-5.3', provider: 'glm', ...AMOUNTS, calls: 100, costMicroUsd: 7, unpriced: 3 },
      { name: 'mine', provider: 'custom', ...AMOUNTS, costMicroUsd: 0, unpriced: 2, estimated: 2 },
    ];
    const total = { ...AMOUNTS, calls: 104, costMicroUsd: 12_307, unpriced: 5, estimated: 3 };
    expect(table({ by: 'model', rows, total })).toEqual([
      'model    provider  requests     in  cached  out       cost',
      'kimi-k3  kimi             2  1,200       0   30    $0.0123  1 estimated',
      'glm-5.3  glm            100  1,200       0   30  $0.000007  3 unpriced',
      'mine     custom           2  1,200       0   30          ?  unpriced, estimated',
      'total                   104  1,200       0   30    $0.0123  5 unpriced, 3 estimated',
    ]);
  });

  test('a client stands with the access that it used', () => {
    const rows = [
      { name: 'claude-code', principal: 'local', ...AMOUNTS },
      { name: '', principal: 'ci#0a1b2c3d', ...AMOUNTS },
    ];
    expect(table({ by: 'client', rows, total: AMOUNTS }).slice(0, 3)).toEqual([
      expect.stringMatching(/^client {7}access {7}requests /),
      expect.stringMatching(/^claude-code {2}owner /),
      expect.stringMatching(/^unknown {6}ci#0a1b2c3d /),
    ]);
  });

  test('a missing name is unknown, and control characters of a name are escaped', () => {
    const rows = [
      { name: '', ...AMOUNTS },
      { name: '\u001B[2Jtool', ...AMOUNTS },
    ];
    const [head, first, second] = table({ by: 'tool', rows, total: AMOUNTS });
    expect(head).toMatch(/^tool {2,}requests/);
    expect(first).toMatch(/^unknown {2,}/);
    expect(second).toMatch(/^\\u\{1b\}\[2Jtool /);
  });
});

import { expect, test } from 'vitest';
import { benchTable, missedGoals } from '../../scripts/bench-table.ts';

const results = [
  {
    name: 'idle',
    rows: [
      { what: 'memory', value: 120.46, unit: 'MB', goal: '≤ 110 MB', ok: false },
      { what: 'CPU', value: 1, unit: 'ms' },
    ],
  },
  {
    name: 'store',
    rows: [{ what: 'writes', value: 12_000, unit: '/s', ratio: 0.5, goal: '≥ 0.4 ×', ok: true }],
  },
];

test('a missed goal is named with its figure and its bench, a met or absent one is not', () => {
  expect(missedGoals(results)).toEqual(['idle: memory: 120.5 MB; the goal is ≤ 110 MB']);
});

test('every row stands in the table with its verdict', () => {
  const rows = benchTable(results)
    .split('\n')
    .filter((line) => /memory|CPU|writes/.test(line));
  expect(rows).toEqual([
    '| memory | 120.5 MB |  | ≤ 110 MB | missed |',
    '| CPU | 1 ms |  |  |  |',
    '| writes | 12,000 /s | 0.50 | ≥ 0.4 × | met |',
  ]);
});

test('a figure that is no number says that nothing was measured', () => {
  const row = { what: 'latency', value: Number.NaN, unit: 'ms', ratio: Number.NaN, ok: false };
  const written = JSON.parse(JSON.stringify([{ name: 'gateway', rows: [row] }])) as typeof results;
  expect(benchTable(written)).toContain('| latency | not measured |  |  | missed |');
});

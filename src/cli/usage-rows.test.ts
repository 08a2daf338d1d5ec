import { expect, test } from 'vitest';
import type { UsageAmounts } from '#core/stores/usage.ts';
import { columns } from './columns.ts';
import { plain } from './paint.ts';
import { usageRows } from './usage-rows.ts';

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

function table(used: Parameters<typeof usageRows>[0]): string[] {
  return columns(usageRows(used, { paint: plain }), '')
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
    'model    provider  requests    in  cached  out       cost',
    'kimi-k3  kimi             2  1200       0   30    $0.0123  1 estimated',
    'glm-5.3  glm            100  1200       0   30  $0.000007  3 unpriced',
    'mine     custom           2  1200       0   30          ?  unpriced, estimated',
    'total                   104  1200       0   30    $0.0123  5 unpriced, 3 estimated',
  ]);
});

test('what nobody wrote down is unknown, and no name reaches the terminal as a command', () => {
  const rows = [
    { name: '', ...AMOUNTS },
    { name: '\u001B[2Jtool', ...AMOUNTS },
  ];
  const [head, first, second] = table({ by: 'tool', rows, total: AMOUNTS });
  expect(head).toMatch(/^tool {2,}requests/);
  expect(first).toMatch(/^unknown {2,}/);
  expect(second).toMatch(/^\\u\{1b\}\[2Jtool /);
});

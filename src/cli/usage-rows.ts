import { dollars } from '#core/dollars.ts';
import type { UsageAmounts, UsageGroup, UsageSum } from '#core/stores/usage.ts';
import type { Io } from './io.ts';
import { harmless } from './terminal-text.ts';

interface Used {
  readonly by: UsageGroup;
  readonly rows: readonly UsageSum[];
  readonly total: UsageAmounts;
}

/** The table of `exai usage`: a heading, a row each, and the sum. Numbers stand under each other. */
export function usageRows({ by, rows, total }: Used, { paint }: Pick<Io, 'paint'>): string[][] {
  const names = by === 'model' ? ['model', 'provider'] : [by];
  const cells = [
    [...names, 'requests', 'in', 'cached', 'out', 'cost'],
    ...rows.map((row) => [...namesOf(row, by), ...numbersOf(row)]),
    [...names.map((_, at) => (at === 0 ? 'total' : '')), ...numbersOf(total)],
  ];
  const widths = names
    .concat(NUMBERS)
    .map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const remarks = ['', ...rows.map(remarksOf), remarksOf(total)];
  return cells.map((row, line) => {
    const isHead = line === 0;
    const aligned = row.map((cell, at) =>
      at < names.length ? cell : cell.padStart(widths[at] ?? 0),
    );
    const [first = '', ...others] = aligned;
    if (isHead) return aligned.map((cell) => paint('dim', cell));
    return [paint('bold', first), ...others, paint('dim', remarks[line] ?? '')];
  });
}

const NUMBERS = ['requests', 'in', 'cached', 'out', 'cost'];

function namesOf({ name, provider }: UsageSum, by: UsageGroup): string[] {
  // Before tools were written down, nobody can tell.
  const shown = name === '' ? 'unknown' : harmless(name);
  return by === 'model' ? [shown, harmless(provider ?? '')] : [shown];
}

function numbersOf(used: UsageAmounts): string[] {
  const { calls, input, cached, output } = used;
  return [String(calls), String(input), String(cached), String(output), costOf(used)];
}

/** What nobody priced may have cost something: it is not shown as free. */
function costOf({ calls, costMicroUsd, unpriced }: UsageAmounts): string {
  return calls > 0 && unpriced === calls && costMicroUsd === 0 ? '?' : dollars(costMicroUsd);
}

function remarksOf({ calls, unpriced, estimated }: UsageAmounts): string {
  const some = (count: number, what: string) =>
    count === 0 ? [] : [count === calls ? what : `${count} ${what}`];
  return [...some(unpriced, 'unpriced'), ...some(estimated, 'estimated')].join(', ');
}

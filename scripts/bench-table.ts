import type { BenchRow } from '../bench/report.ts';

export interface BenchResult {
  readonly name: string;
  readonly rows: readonly BenchRow[];
}

const HEAD = '| what | figure | ratio | goal | |\n|---|---|---|---|---|';

/** What was measured, as Markdown. */
export function benchTable(results: readonly BenchResult[]): string {
  return results
    .map(({ name, rows }) => [`### ${name}\n`, HEAD, ...rows.map(line)].join('\n'))
    .join('\n\n');
}

/** A sentence for each goal that was not met. */
export function missedGoals(results: readonly BenchResult[]): string[] {
  return results.flatMap(({ name, rows }) =>
    rows
      .filter(({ ok }) => ok === false)
      .map((row) => `${name}: ${row.what}: ${figure(row)}; the goal is ${row.goal}`),
  );
}

function line(row: BenchRow): string {
  const { what, ratio, goal, ok } = row;
  const verdict = ok === undefined ? '' : ok ? 'met' : 'missed';
  return `| ${what} | ${figure(row)} | ${ratio?.toFixed(2) ?? ''} | ${goal ?? ''} | ${verdict} |`;
}

/** JSON has no NaN: what could not be measured is null. */
function figure({ value, unit }: Pick<BenchRow, 'unit'> & { value: number | null }): string {
  if (value === null || Number.isNaN(value)) return 'not measured';
  return `${Number.isInteger(value) ? value.toLocaleString('en') : value.toPrecision(4)} ${unit}`;
}

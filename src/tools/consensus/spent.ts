import type { AskReport } from '#core/ask.ts';
import type { Json } from '#core/json.ts';
import { toUsd } from '#core/money.ts';
import type { Heard, Reply } from './reply.ts';

/** What a question took of its limit; all of its share where nobody knows the price. */
export function spentOf({ report }: Reply, share: number): number {
  if (!report) return 0;
  return report.costKnown ? report.costMicroUsd : Math.max(share, report.costMicroUsd);
}

/** Of everybody who was asked, by the names of the envelope; nothing where nobody counted. */
export function usageOf(heard: readonly Heard[]): Json | undefined {
  const reports = heard
    .flatMap(({ first, second }) => [first, ...(second ? [second] : [])])
    .flatMap(({ report }) => report ?? []);
  const used = reports.flatMap(({ usage }) => usage ?? []);
  if (used.length === 0) return undefined;
  const sum = (of: (each: (typeof used)[number]) => number) =>
    used.reduce((total, each) => total + of(each), 0);
  const isPriced = reports.every(({ costKnown }) => costKnown);
  return {
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cached: sum(({ cached }) => cached),
    reasoning: sum(({ reasoning }) => reasoning),
    cost_usd: toUsd(
      reports.reduce((total, { costMicroUsd }: AskReport) => total + costMicroUsd, 0),
    ),
    ...(!isPriced && { unpriced: true }),
    estimated: !isPriced || used.some(({ estimated }) => estimated),
  };
}

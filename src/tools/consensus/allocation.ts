import type { Json } from '#core/json/json.ts';
import type { AskReport } from '#core/llm/ask.ts';
import { toUsd } from '#core/text/money.ts';
import type { PanelistReply, PanelistResult } from './result.ts';

/** Time reserved at the end of a call for rendering the result. */
const LAST_WORD_MS = 2_000;
const LAST_WORD_SHARE = 0.1;
/** Shortest useful time for a round. */
const FAIR_MS = 1_000;

/** Time limit per model in a round, leaving the same for the rounds after it. */
export function roundTimeoutMs(perModelMs: number, leftMs: number, roundsLeft: number): number {
  const usable = leftMs - Math.min(LAST_WORD_MS, leftMs * LAST_WORD_SHARE);
  return Math.max(0, Math.min(perModelMs, usable / roundsLeft));
}

export function isEnoughTime(timeMs: number): boolean {
  return timeMs >= FAIR_MS;
}

/** Cost limit per request, so that all requests together stay within the limit. */
export function costShare(limitMicroUsd: number, questions: number): number {
  return Math.floor(Math.max(0, limitMicroUsd) / questions);
}

/** What a request used of the cost limit; its whole share if the price is unknown. */
export function chargedMicroUsd({ report }: PanelistReply, share: number): number {
  if (!report) return 0;
  return report.costKnown ? report.costMicroUsd : Math.max(share, report.costMicroUsd);
}

/** Usage of all requests by the field names of the envelope; undefined if none was counted. */
export function totalUsage(results: readonly PanelistResult[]): Json | undefined {
  const reports = results
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

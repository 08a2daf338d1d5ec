import * as z from 'zod';
import type { Json } from '#core/json/json.ts';
import { toUsd } from '#core/text/money.ts';
import type { SpendingFinding } from '#core/diagnostics/diagnostics.ts';
import { formatBudgetLeft, formatExhausted, formatSpentToday } from '#core/text/format.ts';

/** Today's spending by its names on the wire. */
export const SpendingShape = z.strictObject({
  day: z.string(),
  requests: z.number(),
  cost_usd: z.number(),
  unpriced: z.number(),
  estimated: z.number(),
  left_usd: z.number().optional(),
  exhausted: z.array(z.strictObject({ provider: z.string(), error_class: z.string() })).optional(),
});

export function spendingContent(spending: SpendingFinding): Json {
  const { day, calls, costMicroUsd, unpriced, estimated, budget, exhausted } = spending;
  return {
    day,
    requests: calls,
    cost_usd: toUsd(costMicroUsd),
    unpriced,
    estimated,
    ...(budget && { left_usd: toUsd(budget.leftMicroUsd) }),
    ...(exhausted.length > 0 && {
      exhausted: exhausted.map(({ provider, errorClass }) => ({
        provider,
        error_class: errorClass,
      })),
    }),
  };
}

/** Renders today's spending; empty without requests, budget or exhausted balances. */
export function renderSpending(spending: SpendingFinding): string[] {
  const lines = {
    Today: formatSpentToday(spending),
    Budget: formatBudgetLeft(spending),
    Balance: formatExhausted(spending.exhausted),
  };
  return Object.entries(lines).flatMap(([name, words]) =>
    words === undefined ? [] : [`${name}: ${words}`],
  );
}

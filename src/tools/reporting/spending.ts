import * as z from 'zod';
import type { Json } from '#core/json.ts';
import { toUsd } from '#core/money.ts';
import type { SpendingFinding } from '#core/ops.ts';
import { budgetWords, exhaustedWords, spentTodayWords } from '#core/spending-words.ts';

/** Today's money, by the names it has on the wire. */
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

/** Nothing while nothing was asked, limited or used up. */
export function spendingWords(spending: SpendingFinding): string[] {
  const lines = {
    Today: spentTodayWords(spending),
    Budget: budgetWords(spending),
    Balance: exhaustedWords(spending.exhausted),
  };
  return Object.entries(lines).flatMap(([name, words]) =>
    words === undefined ? [] : [`${name}: ${words}`],
  );
}

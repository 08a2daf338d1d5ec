import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { unknownCostNotices } from './unknown-cost.ts';

const BUDGET = { leftMicroUsd: 5, reason: reason('text', { text: 'today' }) };
const NEXT = { provider: 'kimi', model: 'kimi-next' } as const;
const ledger = (costKnown: boolean) => ({ totals: () => ({ costMicroUsd: 0, costKnown }) });

test('an answer of unknown cost is named where there is a budget', () => {
  expect(unknownCostNotices(NEXT, { budget: BUDGET }, ledger(false))).toEqual([
    notice('cost_unknown', { model: 'kimi-next' }),
  ]);
});

test('without a budget, or with a known cost, there is nothing to say', () => {
  expect(unknownCostNotices(NEXT, { budget: undefined }, ledger(false))).toEqual([]);
  expect(unknownCostNotices(NEXT, { budget: BUDGET }, ledger(true))).toEqual([]);
  const own = { provider: 'custom', model: 'llama3.2' } as const;
  expect(unknownCostNotices(own, { budget: BUDGET }, ledger(false))).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { costOf } from '#models/price.ts';
import { verifies } from '../../../test/verifies.ts';
import { createBuiltIn } from '../run/models.fixture.ts';
import { createTestBudgets } from './budgets.fixture.ts';
import { maxCostOf } from './max-cost.ts';
import { createRequestSpending } from './request-spending.ts';

const KIMI = createBuiltIn('kimi', 'kimi-k3');
const LIMIT = 4096;
const PROMPT = 10;
const ONCE = maxCostOf(KIMI, PROMPT, LIMIT) ?? 0;
const used = (requests: number) => ({
  input: PROMPT * requests,
  output: LIMIT * requests,
  cached: 0,
  reasoning: LIMIT * requests,
  estimated: false,
});
const next = (requests: number) => ({
  used: used(requests),
  inputTokens: PROMPT,
  maxOutputTokens: LIMIT,
});

async function open(limits: { readonly clientDailyUsd?: number; readonly dailyUsd?: number }) {
  const world = await createTestBudgets({ ...limits, whenSpent: 'refuse' });
  const { budgets, clock } = world;
  const wait = () => ({ deadline: deadlineIn(clock, 1e6), signal: new AbortController().signal });

  /** A chat whose model is asked as often as it is let, and spends all that it may. */
  async function chat(principal: string, requests: number): Promise<number> {
    const reserve = (max: number) => budgets.reserve(principal, max, wait());
    const first = await reserve(ONCE);
    const spending = createRequestSpending({ model: KIMI, first, checkLimit() {}, reserve });
    let sent = 1;
    try {
      for (; sent < requests; sent++) {
        await new Promise((resolve) => setImmediate(resolve));
        await spending.admitFollowUp(next(sent));
      }
    } catch (thrown) {
      expect(CallError.from(thrown).class).toBe('budget');
    }
    const cost = costOf(KIMI, used(sent)).microUsd;
    spending.settle(cost);
    return cost;
  }
  return { ...world, chat };
}

describe('a thousand chats at once, each of several requests', () => {
  for (const limits of [{ clientDailyUsd: 1 }, { dailyUsd: 1 }, { clientDailyUsd: 0.001 }])
    verifies('budget:exact', `overspend ${JSON.stringify(limits)} by one request`, async () => {
      const { chat } = await open(limits);
      const all = await Promise.allSettled(Array.from({ length: 1000 }, () => chat('dave', 3)));
      const spent = all.reduce((sum, end) => sum + (end.status === 'fulfilled' ? end.value : 0), 0);
      const limit = (limits.clientDailyUsd ?? limits.dailyUsd) * 1e6;
      expect(spent).toBeGreaterThanOrEqual(limit);
      expect(spent).toBeLessThanOrEqual(limit + ONCE);
    });
});

test('what a follow-up adds is booked once', async () => {
  const { chat, budgets } = await open({ clientDailyUsd: 10 });
  const cost = await chat('dave', 3);
  expect(budgets.spent('dave')).toBe(cost);
});

test('the limit of the caller is checked before money is reserved', async () => {
  const { budgets, clock } = await open({ clientDailyUsd: 10 });
  const wait = { deadline: deadlineIn(clock, 1000), signal: new AbortController().signal };
  const reserve = (max: number) => budgets.reserve('dave', max, wait);
  const checked: number[][] = [];
  const spending = createRequestSpending({
    model: KIMI,
    first: await reserve(ONCE),
    checkLimit(max, spent) {
      checked.push([max, spent]);
      throw new CallError('budget', 'Too much.');
    },
    reserve,
  });
  await expect(spending.admitFollowUp(next(1))).rejects.toMatchObject({ class: 'budget' });
  const spent = costOf(KIMI, used(1)).microUsd;
  expect(checked).toEqual([[ONCE, spent]]);
  spending.settle(spent);
  await expect(spending.admitFollowUp(next(1))).rejects.toMatchObject({ class: 'cancelled' });
  expect(budgets.spent('dave')).toBe(spent);
});

import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { DAY_MS, utcDay } from '#core/time/utc-day.ts';
import { reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { BudgetLeft } from './budgets.ts';
import { verifies } from '../../../test/verifies.ts';
import { NOON, stateOf, createTestBudgets } from './budgets.fixture.ts';

function textOf(left: BudgetLeft | undefined): string {
  return left ? baseRenderer.reason(left.reason) : '';
}

describe('without a limit', () => {
  test('everything is admitted at once, and the sum is counted', async () => {
    const { budgets, reserve, clock } = await createTestBudgets({});
    const all = await Promise.all(Array.from({ length: 100 }, () => reserve('local', Infinity)));
    for (const reservation of all) reservation.settle(3);
    expect(budgets.spent('local')).toBe(300);
    expect(budgets.spent('laptop')).toBe(0);
    expect(budgets.left('local')).toBeUndefined();
    expect(clock.waiting).toBe(0);
  });

  test('a request whose caller has left is not admitted', async () => {
    const { reserve } = await createTestBudgets({});
    const reason = new CallError('cancelled', 'Gone.');
    await expect(reserve('local', 1, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('the applicable limit', () => {
  test('the tighter limit applies, and is reported', async () => {
    const { budgets, reserve } = await createTestBudgets({
      dailyUsd: 1,
      clientDailyUsd: 0.5,
      clients: ['ci=0.25', 'rich=3', 'free=0'],
    });
    expect(budgets.left('laptop')).toEqual({
      whose: 'client',
      leftMicroUsd: 500_000,
      reason: reason('spent_today', {
        client: 'laptop',
        spentMicroUsd: 0,
        limitMicroUsd: 500_000,
        setting: 'budget.clientDailyUsd',
      }),
    });
    expect(budgets.left('local')?.leftMicroUsd).toBe(500_000);
    expect(textOf(budgets.left('ci'))).toBe('ci has spent $0.00 of $0.25 today (budget.clients)');
    // What the others spend is the owner's to know.
    expect(budgets.left('rich')).toEqual({
      whose: 'everyone',
      leftMicroUsd: 1_000_000,
      reason: reason('shared_budget', { state: 'left' }),
    });
    (await reserve('rich', 900_000)).settle(900_000);
    expect(budgets.left('free')?.leftMicroUsd).toBe(100_000);
    expect(budgets.left('laptop')).toMatchObject({
      leftMicroUsd: 100_000,
      whose: 'everyone',
    });
    expect(textOf(budgets.left('local'))).toContain('All clients together have spent $0.90');
  });

  test('one that is freed of the limit of all clients has none', async () => {
    const { budgets } = await createTestBudgets({ clientDailyUsd: 1, clients: ['free=0'] });
    expect(budgets.left('free')).toBeUndefined();
    expect(budgets.left('other')?.leftMicroUsd).toBe(1_000_000);
  });

  test('of two entries for one client the last counts, and a tiny limit is a limit', async () => {
    const { budgets } = await createTestBudgets({ dailyUsd: 1e-9, clients: ['ci=1', 'ci=2'] });
    expect(budgets.left('ci')?.leftMicroUsd).toBe(1);
    expect(
      (await createTestBudgets({ clients: ['ci=1', 'ci=2'] })).budgets.left('ci')?.leftMicroUsd,
    ).toBe(2_000_000);
  });

  test.each(['__proto__', 'constructor', '', 'a=b', '\0', 'x'.repeat(10_000)])(
    'a client called %j is one like any other',
    async (name) => {
      const { budgets, reserve } = await createTestBudgets({
        clientDailyUsd: 1,
        clients: [`${name}=2`],
      });
      (await reserve(name, 5)).settle(7);
      expect(budgets.spent(name)).toBe(7);
      expect(budgets.left(name)?.leftMicroUsd).toBe(1_999_993);
      expect(budgets.left('toString')?.leftMicroUsd).toBe(1_000_000);
    },
  );
});

describe('when it is spent', () => {
  verifies(
    'budget:polite',
    'the refusal says who, how much, until when and what to do',
    async () => {
      const { reserve } = await createTestBudgets({ clientDailyUsd: 0.5 });
      (await reserve('laptop', 10)).settle(512_300);
      await expect(reserve('laptop', 1)).rejects.toMatchObject({
        class: 'budget',
        message:
          'laptop has spent $0.5123 of $0.50 today (budget.clientDailyUsd); resets at 2026-02-01 00:00 UTC.',
        field: 'budget.clientDailyUsd',
        fix: 'Raise budget.clientDailyUsd. Or wait until then; a limit of 0 is none.',
        retryAfterMs: DAY_MS / 2,
      });
      await expect(reserve('desk', 1)).resolves.toBeDefined();
    },
  );

  verifies('budget:polite', 'a client with its own entry is told the setting', async () => {
    const { reserve } = await createTestBudgets({ clients: ['ci=0.01'] });
    (await reserve('ci', 1)).settle(10_000);
    await expect(reserve('ci', 1)).rejects.toMatchObject({
      fix: 'Raise ci=… in budget.clients. Or wait until then; a limit of 0 is none.',
    });
  });

  test.each([
    { whenSpent: 'step_down', expected: 'admitted' },
    { whenSpent: 'refuse', expected: 'budget' },
  ] as const)('what costs nothing: $whenSpent, $expected', async ({ whenSpent, expected }) => {
    const { reserve } = await createTestBudgets({ dailyUsd: 1, whenSpent });
    const holder = await reserve('a', 5_000_000);
    expect(await stateOf(reserve('a', 0))).toBe('admitted');
    holder.settle(5_000_000);
    expect(await stateOf(reserve('a', 0))).toBe(expected);
    expect(await stateOf(reserve('a', 1))).toBe('budget');
  });

  test('a new day starts at 0, also for clients of the day before', async () => {
    const { budgets, reserve, clock } = await createTestBudgets({ dailyUsd: 1 });
    const over = await reserve('a', 1);
    (await reserve('a', 1)).settle(1_000_000);
    expect(await stateOf(reserve('a', 1))).toBe('budget');
    clock.advance(DAY_MS / 2);
    expect(budgets.left('a')?.leftMicroUsd).toBe(1_000_000);
    over.settle(30);
    expect(budgets.spent('a')).toBe(30);
  });

  test('a clock that is set wrong for a while makes nothing forgotten', async () => {
    const { budgets, reserve, clock } = await createTestBudgets({ dailyUsd: 1 });
    (await reserve('a', 1)).settle(1_000_000);
    for (const days of [1, -3, 400]) {
      clock.jump(days * DAY_MS);
      expect(await stateOf(reserve('a', 1))).toBe('admitted');
      clock.jump(-days * DAY_MS);
      expect(await stateOf(reserve('a', 1))).toBe('budget');
    }
    expect(budgets.spent('a')).toBe(1_000_000);
  });

  test('spend from before a restart counts, if it was today', async () => {
    const asked: string[] = [];
    const row = (principal: string, costMicroUsd: number, day = utcDay(NOON)) => ({
      day,
      principal,
      costMicroUsd,
    });
    const { budgets, reserve } = await createTestBudgets(
      { dailyUsd: 1, clientDailyUsd: 0.4 },
      async (day) => {
        asked.push(day);
        return [
          row('a', 100_000),
          row('a', 300_000),
          row('b', 50_000),
          row('b', 9e9, '2026-01-30'),
        ];
      },
    );
    expect(asked).toEqual(['2026-01-31']);
    expect(budgets.spent('a')).toBe(400_000);
    expect(await stateOf(reserve('a', 1))).toBe('budget');
    expect(budgets.left('b')?.leftMicroUsd).toBe(350_000);
    const lost = new CallError('network', 'The store is gone.');
    await expect(createTestBudgets({ dailyUsd: 1 }, () => Promise.reject(lost))).rejects.toBe(lost);
  });
});

describe('while others have set it aside', () => {
  test('a request that fits is admitted at once, another waits for a reservation to settle', async () => {
    const { budgets, reserve } = await createTestBudgets({ dailyUsd: 1 });
    const first = await reserve('a', 600_000);
    const second = await reserve('b', 400_000);
    const third = reserve('c', 1);
    expect(await stateOf(third)).toBe('waits');
    expect(budgets.left('c')?.leftMicroUsd).toBe(1_000_000);
    second.settle(10);
    expect(await stateOf(third)).toBe('admitted');
    first.settle(10);
    expect(budgets.spent('b')).toBe(10);
  });

  test('only the first settle counts, and a cost is never negative', async () => {
    const { budgets, reserve } = await createTestBudgets({ dailyUsd: 1 });
    const reservation = await reserve('a', 100);
    reservation.settle(-5);
    reservation.settle(500);
    expect(budgets.spent('a')).toBe(0);
    (await reserve('a', 100)).settle(Number.NaN);
    expect(budgets.spent('a')).toBe(100);
    (await reserve('a', 100)).settle(0.2);
    expect(budgets.spent('a')).toBe(101);
  });

  test.each([Number.NaN, Infinity, 2_000_000])(
    'a request that may cost %d runs alone',
    async (max) => {
      const { reserve } = await createTestBudgets({ dailyUsd: 1 });
      const small = await reserve('a', 1);
      const large = reserve('a', max);
      expect(await stateOf(large)).toBe('waits');
      small.settle(1);
      expect(await stateOf(large)).toBe('admitted');
      const next = reserve('b', 1);
      expect(await stateOf(next)).toBe('waits');
      (await large).settle(3_000_000);
      expect(await stateOf(next)).toBe('budget');
    },
  );

  test('no request overtakes one that waits for the same budget', async () => {
    const { reserve } = await createTestBudgets({ dailyUsd: 1 });
    const holder = await reserve('a', 900_000);
    const large = reserve('b', 500_000);
    const small = reserve('c', 1);
    expect(await stateOf(small)).toBe('waits');
    holder.settle(0);
    expect([await stateOf(large), await stateOf(small)]).toEqual(['admitted', 'admitted']);
  });

  test('nor one that waits for the budget of the same client, while there is enough for all', async () => {
    const { reserve } = await createTestBudgets({ dailyUsd: 10, clientDailyUsd: 1 });
    const holder = await reserve('a', 900_000);
    const large = reserve('a', 500_000);
    const small = reserve('a', 1);
    expect([await stateOf(large), await stateOf(small)]).toEqual(['waits', 'waits']);
    holder.settle(0);
    expect([await stateOf(large), await stateOf(small)]).toEqual(['admitted', 'admitted']);
  });

  test('settling one reservation leaves those of others unchanged', async () => {
    const { reserve } = await createTestBudgets({ clientDailyUsd: 1 });
    const [first, second] = [await reserve('a', 500_000), await reserve('a', 500_000)];
    first.settle(0);
    const third = reserve('a', 600_000);
    expect(await stateOf(third)).toBe('waits');
    second.settle(0);
    expect(await stateOf(third)).toBe('admitted');
  });

  test('a client that waits for its own budget blocks no other', async () => {
    const { reserve } = await createTestBudgets({ dailyUsd: 10, clientDailyUsd: 1 });
    const holder = await reserve('a', 1_000_000);
    const own = reserve('a', 500_000);
    const other = reserve('b', 500_000);
    expect([await stateOf(own), await stateOf(other)]).toEqual(['waits', 'admitted']);
    holder.settle(0);
    expect(await stateOf(own)).toBe('admitted');
  });

  test('the deadline ends the wait with its reason, and lets those behind go', async () => {
    const { reserve, clock } = await createTestBudgets({ clientDailyUsd: 1 });
    const holder = await reserve('a', 500_000);
    const large = reserve('a', 900_000, { inMs: 50 });
    const small = reserve('a', 100, { inMs: 500 });
    expect(await stateOf(small)).toBe('waits');
    clock.advance(50);
    await expect(large).rejects.toMatchObject({
      class: 'timeout',
      message: expect.stringMatching(/^a has spent \$0\.00 of \$1\.00 today .*set aside/),
      field: 'budget.clientDailyUsd',
    });
    expect(await stateOf(small)).toBe('admitted');
    holder.settle(0);
    (await small).settle(0);
    expect(clock.waiting).toBe(0);
  });

  test('a caller that leaves is removed from the queue, with the reason of its signal', async () => {
    const { reserve, clock } = await createTestBudgets({ dailyUsd: 1 });
    const holder = await reserve('a', 900_000);
    const controller = new AbortController();
    const leaving = reserve('b', 900_000, { signal: controller.signal });
    const behind = reserve('c', 100_000);
    expect(await stateOf(behind)).toBe('waits');
    const reason = new CallError('cancelled', 'Gone.');
    controller.abort(reason);
    await expect(leaving).rejects.toBe(reason);
    expect(await stateOf(behind)).toBe('admitted');
    holder.settle(0);
    expect(clock.waiting).toBe(0);
  });

  test('a waiting request is refused as soon as the budget is used up', async () => {
    const { reserve, clock } = await createTestBudgets({ dailyUsd: 1 });
    const holder = await reserve('a', 1_000_000);
    const waiting = [reserve('b', 1), reserve('c', 1)];
    holder.settle(1_000_000);
    for (const each of waiting) expect(await stateOf(each)).toBe('budget');
    expect(clock.waiting).toBe(0);
  });
});

test('principals beyond the maximum share one budget', async () => {
  const { budgets, reserve } = await createTestBudgets({ clientDailyUsd: 1, clients: ['late=5'] });
  for (let n = 0; n < 10_000; n++) (await reserve(`p${n}`, 1)).settle(10);
  (await reserve('one-more', 1)).settle(600_000);
  (await reserve('another', 1)).settle(400_000);
  expect(await stateOf(reserve('a-third', 1))).toBe('budget');
  expect(budgets.spent('p7')).toBe(10);
  (await reserve('late', 1)).settle(3);
  expect(budgets.left('late')?.leftMicroUsd).toBe(4_999_997);
});

describe('changed limits', () => {
  const LIMITS = { dailyUsd: 0, clientDailyUsd: 0, clients: [], whenSpent: 'step_down' } as const;

  test('a raised limit admits who waits, and what is reserved stays counted', async () => {
    const { budgets, reserve } = await createTestBudgets({ dailyUsd: 1 });
    const first = await reserve('local', 900_000);
    const second = reserve('laptop', 900_000);
    expect(await stateOf(second)).toBe('waits');
    budgets.changeLimits({ ...LIMITS, dailyUsd: 2 });
    (await second).settle(800_000);
    first.settle(700_000);
    expect(budgets.left('local')?.leftMicroUsd).toBe(500_000);
  });

  test('a removed limit admits who waits; a limit below the spend refuses', async () => {
    const { budgets, reserve } = await createTestBudgets({ clientDailyUsd: 1 });
    const first = await reserve('laptop', 900_000);
    const second = reserve('laptop', 900_000);
    budgets.changeLimits(LIMITS);
    (await second).settle(900_000);
    first.settle(900_000);
    expect(budgets.left('laptop')).toBeUndefined();
    budgets.changeLimits({ ...LIMITS, clientDailyUsd: 1 });
    expect(await stateOf(reserve('laptop', 1))).toBe('budget');
    budgets.changeLimits({ ...LIMITS, clientDailyUsd: 1, clients: ['laptop=0'] });
    (await reserve('laptop', 1)).settle(0);
  });
});

verifies(
  'budget:shared',
  'what another daemon spent and stored is counted when it is read, and what this one spent is counted once',
  async () => {
    let stored = 0;
    const totals = async (day: string) => [{ day, principal: 'ann', costMicroUsd: stored }];
    const { budgets, reserve } = await createTestBudgets({ dailyUsd: 0.001 }, totals);
    (await reserve('ann', 300)).settle(300);
    stored = 300;
    await budgets.refresh();
    expect(budgets.left('ann')?.leftMicroUsd).toBe(700);
    stored = 900;
    await budgets.refresh();
    expect(budgets.left('ann')?.leftMicroUsd).toBe(100);
    const first = await reserve('ann', 100);
    const waiting = reserve('ann', 100);
    waiting.catch(() => undefined);
    stored = 1000;
    await budgets.refresh();
    expect(await stateOf(waiting)).toBe('budget');
    first.settle(0);
  },
);

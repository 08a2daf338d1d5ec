import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { NOON, stateOf, createTestBudgets } from './budgets.fixture.ts';
import type { BudgetLimits } from './budget-limits.ts';
import type { Reservation } from './budgets.ts';

describe('under load', () => {
  interface Asked {
    readonly principal: number;
    readonly max: number;
    /** Of what it could cost at most, in thousandths. */
    readonly share: number;
  }

  const asked = fc.record({
    principal: fc.nat(4),
    max: fc.oneof(fc.nat(50_000), fc.nat(2_000_000)),
    share: fc.nat(1000),
  });

  /** Half of them come at once and the others by and by; `picks` says who is settled next. */
  async function run(limits: Partial<BudgetLimits>, all: readonly Asked[], picks: () => number) {
    const clock = createFakeClock(NOON);
    const { budgets, reserve } = await createTestBudgets(limits, undefined, clock);
    const running: { readonly asked: Asked; readonly reservation: Reservation }[] = [];
    const outcomes = { admitted: 0, refused: 0 };
    const toCome = [...all];
    const ended: Promise<void>[] = [];
    const arrive = (count: number) => {
      for (const one of toCome.splice(0, count)) {
        const reserved = reserve(`c${one.principal}`, one.max, { inMs: 1e6 });
        const admitted = (reservation: Reservation) => {
          outcomes.admitted += 1;
          running.push({ asked: one, reservation });
        };
        const refused = (thrown: unknown) => {
          outcomes.refused += 1;
          expect(CallError.from(thrown).class).toBe('budget');
        };
        ended.push(reserved.then(admitted, refused));
      }
    };
    arrive(Math.ceil(all.length / 2));
    const limitOf = (usd: number | undefined) => (usd ? Math.round(usd * 1e6) : Infinity);
    const spentBy = new Map<number, number>();
    const largest = new Map<number, number>();
    let spent = 0;
    let largestOfAll = 0;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (running.length === 0 && toCome.length === 0) break;
      arrive(running.length === 0 ? 1 : picks() % 3);
      const [next] = running.splice(picks() % Math.max(1, running.length), 1);
      if (!next) continue;
      const { principal, max, share } = next.asked;
      const real = Math.ceil((max * share) / 1000);
      next.reservation.settle(real);
      spent += real;
      spentBy.set(principal, (spentBy.get(principal) ?? 0) + real);
      largest.set(principal, Math.max(largest.get(principal) ?? 0, real));
      largestOfAll = Math.max(largestOfAll, real);
      // Never beyond the limit by more than one request.
      expect(spent).toBeLessThan(limitOf(limits.dailyUsd) + largestOfAll + 1);
      for (const [who, sum] of spentBy) {
        const most = limitOf(limits.clientDailyUsd) + (largest.get(who) ?? 0);
        expect(sum).toBeLessThanOrEqual(most);
      }
    }
    await Promise.all(ended);
    expect(clock.waiting).toBe(0);
    for (const [who, sum] of spentBy) expect(budgets.spent(`c${who}`)).toBe(sum);
    return { spent, outcomes, reserve };
  }

  const limits = fc.record({
    dailyUsd: fc.constantFrom(0, 0.05, 1, 20),
    clientDailyUsd: fc.constantFrom(0, 0.05, 0.5, 3),
    whenSpent: fc.constantFrom('step_down' as const, 'refuse' as const),
  });

  verifies(
    'budget:exact',
    'in any order of reservations and settlements, no limit is exceeded by more than one request, and no waiter is lost',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          limits,
          fc.array(asked, { maxLength: 40 }),
          fc.infiniteStream(fc.nat(1e6)),
          async (set, all, picks) => {
            const { outcomes } = await run(set, all, () => Number(picks.next().value));
            expect(outcomes.admitted + outcomes.refused).toBe(all.length);
          },
        ),
        { numRuns: 150 },
      );
    },
  );

  verifies('budget:exact', 'a thousand at once are exact', async () => {
    let seed = 7;
    const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31);
    const all = Array.from({ length: 1000 }, () => ({
      principal: random() % 5,
      max: random() % 40_000,
      share: random() % 1001,
    }));
    const { spent, outcomes, reserve } = await run({ dailyUsd: 2, clientDailyUsd: 1 }, all, random);
    expect(outcomes.refused).toBeGreaterThan(0);
    // The rest was used: the next request is refused.
    expect(spent).toBeGreaterThanOrEqual(2_000_000);
    expect(await stateOf(reserve('c9', 1))).toBe('budget');
  });
});

import { CallError } from '#core/call-error.ts';
import { deadlineIn } from '#core/deadline.ts';
import type { Cancel } from '#core/http.ts';
import { createFakeClock, type FakeClock } from '../../test/fake-clock.ts';
import type { BudgetLimits } from './budget-limits.ts';
import type { Reservation } from './budget-words.ts';
import { createBudgets, type BudgetOptions } from './budget.ts';

const NO_LIMITS: BudgetLimits = {
  dailyUsd: 0,
  clientDailyUsd: 0,
  clients: [],
  whenSpent: 'step_down',
};
export const NOON = Date.UTC(2026, 0, 31, 12);

interface World {
  readonly clock: FakeClock;
  readonly budgets: Awaited<ReturnType<typeof createBudgets>>;
  readonly reserve: (principal: string, max: number, more?: More) => Promise<Reservation>;
}

interface More {
  readonly inMs?: number;
  readonly signal?: Cancel;
}

/** Budgets on a clock that stands still. */
export async function world(
  limits: Partial<BudgetLimits>,
  totals: BudgetOptions['totals'] = async () => [],
  clock = createFakeClock(NOON),
): Promise<World> {
  const budgets = await createBudgets({ limits: { ...NO_LIMITS, ...limits }, clock, totals });
  return {
    clock,
    budgets,
    reserve: (principal, max, { inMs = 1000, signal = new AbortController().signal } = {}) =>
      budgets.reserve(principal, max, { deadline: deadlineIn(clock, inMs), signal }),
  };
}

/** Whether it is settled by now, and how. */
export async function stateOf(promise: Promise<unknown>): Promise<string> {
  const outcome = await Promise.race([
    promise.then(
      () => 'admitted',
      (thrown: unknown) => CallError.from(thrown).class,
    ),
    // What is settled is told after some turns of the queue, and before this one.
    new Promise<string>((resolve) => setImmediate(() => resolve('waits'))),
  ]);
  return outcome;
}

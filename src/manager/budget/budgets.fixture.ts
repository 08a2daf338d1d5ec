import { CallError } from '#core/errors/call-error.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import type { BudgetLimits } from './budget-limits.ts';
import { createBudgets, type BudgetOptions, type Reservation } from './budgets.ts';

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
  readonly signal?: AbortSignalLike;
}

/** Budgets with a fake clock. */
export async function createTestBudgets(
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

/** The state of a promise now. */
export async function stateOf(promise: Promise<unknown>): Promise<string> {
  const outcome = await Promise.race([
    promise.then(
      () => 'admitted',
      (thrown: unknown) => CallError.from(thrown).class,
    ),
    // A settled promise wins the race, as it resolves some microtasks before this one.
    new Promise<string>((resolve) => setImmediate(() => resolve('waits'))),
  ]);
  return outcome;
}

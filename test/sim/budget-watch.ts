import type { UsageRecord } from '#core/stores/calls.ts';
import type { Budgets, Reservation } from '#manager/budget/budgets.ts';
import type { AskingPlan } from './asking-plan.ts';
import type { Simulation } from './simulation.ts';

/** Adds up what the vendors of one daemon charge, and compares it with what may be spent. */
export interface BudgetWatch {
  wrap(budgets: Budgets): Budgets;
  /** A request that costs something is sent for this principal. */
  asked(principal: string): void;
  charged(principal: string, microUsd: number): void;
  /** Reservations that nobody has settled. */
  readonly out: number;
}

interface Purse {
  readonly limit: number;
  spent: number;
  /** The dearest single request. */
  dearest: number;
}

const MICRO = 1_000_000;

export function createBudgetWatch(
  simulation: Simulation,
  { dailyUsd, clientDailyUsd }: AskingPlan['budget'],
  /** What is on disk of the day when the daemon starts. */
  before: readonly Pick<UsageRecord, 'principal' | 'costMicroUsd'>[],
): BudgetWatch {
  const purses = new Map<string, Purse>();
  let out = 0;

  function purseOf(name: string, usd: number): Purse {
    let purse = purses.get(name);
    if (!purse)
      purses.set(name, (purse = { limit: Math.round(usd * MICRO), spent: 0, dearest: 0 }));
    return purse;
  }
  const pursesOf = (principal: string) =>
    [purseOf('', dailyUsd), purseOf(`of ${principal}`, clientDailyUsd)].filter(
      ({ limit }) => limit > 0,
    );
  for (const { principal, costMicroUsd } of before)
    for (const purse of pursesOf(principal)) add(purse, costMicroUsd);

  function add(purse: Purse, microUsd: number): void {
    purse.spent += microUsd;
    purse.dearest = Math.max(purse.dearest, microUsd);
  }

  return {
    wrap: (budgets) => ({
      ...budgets,
      left: (principal) => budgets.left(principal),
      async reserve(principal, max, wait) {
        const reservation = await budgets.reserve(principal, max, wait);
        out += 1;
        return settledOnce(reservation, () => (out -= 1));
      },
    }),
    asked(principal) {
      for (const { limit, spent } of pursesOf(principal))
        if (spent >= limit)
          simulation.violate(
            'budget',
            `${principal} has spent ${spent} of ${limit}, and asks again`,
          );
    },
    charged(principal, microUsd) {
      for (const purse of pursesOf(principal)) {
        add(purse, microUsd);
        const { limit, spent, dearest } = purse;
        if (spent > limit + dearest)
          simulation.violate(
            'budget',
            `${principal} spent ${spent} of ${limit}, and no request is dearer than ${dearest}`,
          );
      }
    },
    get out() {
      return out;
    },
  };
}

function settledOnce(reservation: Reservation, then: () => void): Reservation {
  let isOut = true;
  return {
    settle(microUsd) {
      if (isOut) then();
      isOut = false;
      reservation.settle(microUsd);
    },
  };
}

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
  /**
   * A further request of a chat is sent: what those before it cost must have been booked, apart from
   * what others take at the same time.
   */
  askedAgain(principal: string, othersMicroUsd: number): void;
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
  let again = 0;
  /** By principal: charged, and not booked yet. */
  const unbooked = new Map<string, number>();
  const book = (principal: string, microUsd: number) =>
    void unbooked.set(principal, (unbooked.get(principal) ?? 0) + microUsd);

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
        return settledOnce(reservation, (microUsd) => {
          out -= 1;
          book(principal, -microUsd);
        });
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
    askedAgain(principal, othersMicroUsd) {
      const left = (unbooked.get(principal) ?? 0) - othersMicroUsd;
      // The cost of each request is rounded up, and so is that of all of them together.
      again += 1;
      if (left > again)
        simulation.violate('budget', `${principal} asks again, and ${left} are not booked yet`);
    },
    charged(principal, microUsd) {
      book(principal, microUsd);
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

function settledOnce(reservation: Reservation, then: (microUsd: number) => void): Reservation {
  let isOut = true;
  return {
    settle(microUsd) {
      if (isOut) then(microUsd);
      isOut = false;
      reservation.settle(microUsd);
    },
  };
}

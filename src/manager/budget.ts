import type { Clock } from '#core/clock.ts';
import { remainingMs } from '#core/deadline.ts';
import type { UsageTotal } from '#core/stores/usage.ts';
import { utcDay } from '#core/utc-day.ts';
import {
  budgetSpent,
  readLimits,
  spendingReason,
  waitedTooLong,
  type Viewer,
  type BudgetLimits,
  type Limit,
} from './budget-limits.ts';
import type { Budgets, Reservation } from './budget-words.ts';
import { createSpendingBook } from './spending-book.ts';

export interface BudgetOptions {
  readonly limits: BudgetLimits;
  readonly clock: Clock;
  /** What was spent on a day, so that a restart forgets nothing. */
  readonly totals: (
    day: string,
  ) => Promise<readonly Pick<UsageTotal, 'day' | 'principal' | 'costMicroUsd'>[]>;
}

export interface CountingBudgets extends Budgets {
  /** Micro-dollars of today. */
  spent(principal: string): number;
}

/** A limit, and what is set aside of it. */
interface Purse {
  readonly limit: Limit;
  readonly spent: () => number;
  reserved: number;
  /** Requests that wait for it or have something set aside; a purse without any is forgotten. */
  users: number;
  /** Those who wait, in their order, where this is the widest of their purses. */
  readonly line: Set<Waiter>;
}

interface Waiter {
  readonly needed: readonly Purse[];
  readonly maxMicroUsd: number;
  readonly viewer: Viewer;
  admit(): void;
  refuse(error: unknown): void;
}

type Wait = Parameters<Budgets['reserve']>[2];

/** Only the owner gives out names; still, no more than these are told apart. */
const MAX_PRINCIPALS = 10_000;
const OTHERS = 'the rest';
/** What could cost anything is taken for a thousand million dollars, and so is asked alone. */
const MOST_MICRO_USD = 1e15;

/** Counts what is spent against the limits of the day. At most one request at a time may go beyond a limit. */
export async function createBudgets(options: BudgetOptions): Promise<CountingBudgets> {
  const { clock } = options;
  const limits = readLimits(options.limits);
  const book = createSpendingBook(clock);
  const everyone = limits.everyone && createPurse(limits.everyone, () => book.all());
  const purses = new Map<string, Purse>();
  const known = new Set(limits.named);

  for (const { day, principal, costMicroUsd } of await options.totals(utcDay(clock.now()))) {
    if (day === utcDay(clock.now())) book.add(remember(principal), costMicroUsd);
  }

  /** The name that a principal is counted under. */
  function nameOf(principal: string): string {
    return known.has(principal) || known.size < MAX_PRINCIPALS ? principal : OTHERS;
  }

  function remember(principal: string): string {
    const name = nameOf(principal);
    known.add(name);
    return name;
  }

  /** Widest first. */
  function pursesOf(name: string): readonly Purse[] {
    const limit = limits.of(name);
    const own = limit && (purses.get(name) ?? createPurse(limit, () => book.of(name)));
    return [everyone, own].filter((purse) => purse !== undefined);
  }

  function take(name: string, needed: readonly Purse[]): void {
    for (const purse of needed) {
      purse.users += 1;
      if (purse !== everyone) purses.set(name, purse);
    }
  }

  function leave(name: string, needed: readonly Purse[]): void {
    for (const purse of needed) {
      purse.users -= 1;
      if (purse !== everyone && purse.users === 0) purses.delete(name);
    }
  }

  const refusal = ({ limit, spent }: Purse, viewer: Viewer) =>
    budgetSpent(limit, spent(), viewer, clock.now());

  /** Lets in who fits, in turn: nobody overtakes another who waits for the same money. */
  function serve(line: Set<Waiter>): void {
    const awaited = new Set<Purse>();
    for (const waiter of line) {
      const { needed, maxMicroUsd } = waiter;
      const empty = needed.find(isEmpty);
      const short = needed.filter((purse) => awaited.has(purse) || !hasRoom(purse, maxMicroUsd));
      if (!empty && short.length > 0) {
        // The widest is everybody's in this line, so nobody behind can be let in.
        if (short[0] === needed[0]) return;
        for (const purse of short) awaited.add(purse);
        continue;
      }
      line.delete(waiter);
      if (empty) {
        waiter.refuse(refusal(empty, waiter.viewer));
        continue;
      }
      for (const purse of needed) purse.reserved += maxMicroUsd;
      waiter.admit();
    }
  }

  /** Resolves when the money is set aside. */
  function waitInLine(
    [widest, ...others]: readonly [Purse, ...Purse[]],
    maxMicroUsd: number,
    viewer: Viewer,
    { deadline, signal }: Wait,
  ): Promise<void> {
    const { line } = widest;
    const needed = [widest, ...others];
    return new Promise((resolve, reject) => {
      let stopWatching = () => {};
      const waiter: Waiter = {
        needed,
        maxMicroUsd,
        viewer,
        admit() {
          stopWatching();
          resolve();
        },
        refuse(error) {
          stopWatching();
          reject(error as Error);
        },
      };
      const giveUp = (error: unknown) => {
        line.delete(waiter);
        waiter.refuse(error);
        // Those behind may have waited for this one alone.
        serve(line);
      };
      line.add(waiter);
      serve(line);
      if (!line.has(waiter)) return;
      const onAbort = () => giveUp(signal.reason);
      const timer = clock.after(remainingMs(deadline, clock), () => {
        const { limit, spent } = needed.find((purse) => !hasRoom(purse, maxMicroUsd)) ?? widest;
        giveUp(waitedTooLong(limit, spent(), viewer));
      });
      signal.addEventListener('abort', onAbort, { once: true });
      stopWatching = () => {
        timer.stop();
        signal.removeEventListener('abort', onAbort);
      };
    });
  }

  function reservationOf(name: string, needed: readonly Purse[], setAside: number): Reservation {
    let isSettled = false;
    return {
      settle(microUsd) {
        if (isSettled) return;
        isSettled = true;
        for (const purse of needed) purse.reserved -= setAside;
        leave(name, needed);
        book.add(name, amount(microUsd, setAside));
        if (needed[0]) serve(needed[0].line);
      },
    };
  }

  return {
    spent: (principal) => book.of(nameOf(principal)),

    left(principal) {
      const lefts = pursesOf(nameOf(principal)).map(({ limit, spent }) => ({
        whose: limit.whose,
        leftMicroUsd: Math.max(0, limit.microUsd - spent()),
        reason: spendingReason(limit, spent(), viewerOf(principal)),
      }));
      return lefts.toSorted((a, b) => a.leftMicroUsd - b.leftMicroUsd)[0];
    },

    async reserve(principal, max, wait) {
      wait.signal.throwIfAborted();
      const name = remember(principal);
      const needed = pursesOf(name);
      const viewer = viewerOf(principal);
      const [widest, ...others] = needed;
      const maxMicroUsd = amount(max, MOST_MICRO_USD);
      const empty = needed.find(isEmpty);
      const isFree = maxMicroUsd === 0;
      if (empty && !(isFree && options.limits.whenSpent === 'step_down'))
        throw refusal(empty, viewer);
      take(name, needed);
      // What costs nothing has nothing to wait for.
      if (!widest || isFree) return reservationOf(name, needed, 0);
      try {
        await waitInLine([widest, ...others], maxMicroUsd, viewer, wait);
      } catch (thrown) {
        leave(name, needed);
        throw thrown;
      }
      return reservationOf(name, needed, maxMicroUsd);
    },
  };
}

/** The owner's own calls. */
const OWNER = 'local';

function viewerOf(principal: string): Viewer {
  return principal === OWNER ? 'owner' : 'client';
}

function createPurse(limit: Limit, spent: () => number): Purse {
  return { limit, spent, reserved: 0, users: 0, line: new Set() };
}

function isEmpty({ limit, spent }: Purse): boolean {
  return spent() >= limit.microUsd;
}

/** Whoever is alone may go beyond what is left, because nobody knows what it will really cost. */
function hasRoom({ limit, spent, reserved }: Purse, maxMicroUsd: number): boolean {
  return reserved === 0 || spent() + reserved + maxMicroUsd <= limit.microUsd;
}

/** Whole micro-dollars, never negative; what is no amount at all is the most that it could be. */
function amount(microUsd: number, most: number): number {
  if (!Number.isFinite(microUsd)) return microUsd === Number.NEGATIVE_INFINITY ? 0 : most;
  return Math.min(Math.max(0, Math.ceil(microUsd)), MOST_MICRO_USD);
}

import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import type { Reason } from '#core/messages/reasons.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { UsageTotal } from '#core/stores/usage.ts';
import type { Clock } from '#core/time/clock.ts';
import { remainingMs, type Deadline } from '#core/time/deadline.ts';
import { utcDay } from '#core/time/utc-day.ts';
import {
  budgetExhausted,
  createDailySpend,
  readLimits,
  spendingReason,
  budgetWaitTimeout,
  type BudgetLimits,
  type Limit,
  type Viewer,
} from './budget-limits.ts';

/** A reserved amount until the cost of a request is known. */
export interface Reservation {
  /** Books the real cost and frees the rest. Only the first call counts. */
  settle(microUsd: number): void;
}

export interface BudgetLeft {
  readonly leftMicroUsd: number;
  /** The spend, as far as the reader may know it. */
  readonly reason: Reason;
  /** Whether the limit is of all clients together, or of this one. */
  readonly whose?: 'everyone' | 'client';
}

export interface Budgets {
  /**
   * What the principal may still spend today; undefined without a limit. Reservations of others are
   * not subtracted.
   */
  left(principal: string): BudgetLeft | undefined;
  /**
   * Reserves the maximum cost of a request. While other reservations could use up the rest, it
   * waits for them to settle, so that a limit is exceeded by at most one request. Throws `budget`
   * when the budget is used up, `timeout` when the deadline comes first, or the reason of the
   * signal.
   */
  reserve(
    principal: string,
    maxMicroUsd: number,
    wait: { readonly deadline: Deadline; readonly signal: AbortSignalLike },
  ): Promise<Reservation>;
}

export interface BudgetOptions {
  readonly limits: BudgetLimits;
  readonly clock: Clock;
  /** Loads the spend of a day, so that a restart loses nothing. */
  readonly totals: (
    day: string,
  ) => Promise<readonly Pick<UsageTotal, 'day' | 'principal' | 'costMicroUsd'>[]>;
}

interface CountingBudgets extends Budgets {
  /**
   * Sets other limits. What is spent and reserved stays counted; waiting requests are admitted or
   * refused by the new limits.
   */
  changeLimits(limits: BudgetLimits): void;
  /**
   * Adds what other daemons of the store spent today. What this one spent and has not stored yet is
   * counted already, and is part of the same sum.
   */
  refresh(): Promise<void>;
  /** Spend of today in micro-dollars. */
  spent(principal: string): number;
}

/** A limit with its reservations. */
interface BudgetAccount {
  limit: Limit;
  readonly spent: () => number;
  reserved: number;
  /** Requests that wait for it or hold a reservation; an unused account is dropped. */
  users: number;
  /** Waiting requests in order, for which this is the widest account. */
  readonly line: Set<Waiter>;
}

interface Waiter {
  readonly needed: readonly BudgetAccount[];
  readonly maxMicroUsd: number;
  readonly viewer: Viewer;
  admit(): void;
  refuse(error: unknown): void;
}

type Wait = Parameters<Budgets['reserve']>[2];

/** The maximum number of principals that are counted separately. */
const MAX_PRINCIPALS = 10_000;
const OTHERS = 'the rest';
/** The reservation for an unknown price, so large that such requests run one at a time. */
const MOST_MICRO_USD = 1e15;

/** Daily budgets with reservations. At most one request at a time may exceed a limit. */
export async function createBudgets(options: BudgetOptions): Promise<CountingBudgets> {
  const { clock } = options;
  let limits = readLimits(options.limits);
  let { whenSpent } = options.limits;
  const dailySpend = createDailySpend(clock);
  let everyone = limits.everyone && createAccount(limits.everyone, () => dailySpend.all());
  const accounts = new Map<string, BudgetAccount>();
  const known = new Set(limits.named);

  /** Raises the spend of today to what is stored. */
  async function refresh(): Promise<void> {
    const stored = new Map<string, number>();
    for (const { day, principal, costMicroUsd } of await options.totals(utcDay(clock.now()))) {
      if (day !== utcDay(clock.now())) continue;
      const name = remember(principal);
      stored.set(name, (stored.get(name) ?? 0) + costMicroUsd);
    }
    for (const [name, microUsd] of stored) {
      const more = microUsd - dailySpend.of(name);
      if (more > 0) dailySpend.add(name, more);
    }
  }

  await refresh();

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
  function accountsOf(name: string): readonly BudgetAccount[] {
    const limit = limits.of(name);
    const own = limit && (accounts.get(name) ?? createAccount(limit, () => dailySpend.of(name)));
    return [everyone, own].filter((account) => account !== undefined);
  }

  function take(name: string, needed: readonly BudgetAccount[]): void {
    for (const account of needed) {
      account.users += 1;
      if (account !== everyone) accounts.set(name, account);
    }
  }

  function leave(name: string, needed: readonly BudgetAccount[]): void {
    for (const account of needed) {
      account.users -= 1;
      if (account.users === 0 && accounts.get(name) === account) accounts.delete(name);
    }
  }

  const refusal = ({ limit, spent }: BudgetAccount, viewer: Viewer) =>
    budgetExhausted(limit, spent(), viewer, clock.now());

  /**
   * Admits waiting requests that fit, in order: none overtakes another that waits for the same
   * account.
   */
  function serve(line: Set<Waiter>): void {
    const awaited = new Set<BudgetAccount>();
    for (const waiter of line) {
      const { needed, maxMicroUsd } = waiter;
      const empty = needed.find(isEmpty);
      const short = needed.filter(
        (account) => awaited.has(account) || !hasRoom(account, maxMicroUsd),
      );
      if (!empty && short.length > 0) {
        // All requests in this line share the widest account, so none behind can be admitted.
        if (short[0] === needed[0]) return;
        for (const account of short) awaited.add(account);
        continue;
      }
      line.delete(waiter);
      if (empty) {
        waiter.refuse(refusal(empty, waiter.viewer));
        continue;
      }
      for (const account of needed) account.reserved += maxMicroUsd;
      waiter.admit();
    }
  }

  /** Resolves when the amount is reserved. */
  function waitForBudget(
    [widest, ...others]: readonly [BudgetAccount, ...BudgetAccount[]],
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
        // Requests behind may have waited only for this one.
        serve(line);
      };
      line.add(waiter);
      serve(line);
      if (!line.has(waiter)) return;
      const onAbort = () => giveUp(signal.reason);
      const timer = clock.after(remainingMs(deadline, clock), () => {
        const { limit, spent } = needed.find((account) => !hasRoom(account, maxMicroUsd)) ?? widest;
        giveUp(budgetWaitTimeout(limit, spent(), viewer));
      });
      signal.addEventListener('abort', onAbort, { once: true });
      stopWatching = () => {
        timer.stop();
        signal.removeEventListener('abort', onAbort);
      };
    });
  }

  function reservationOf(
    name: string,
    needed: readonly BudgetAccount[],
    setAside: number,
  ): Reservation {
    let isSettled = false;
    return {
      settle(microUsd) {
        if (isSettled) return;
        isSettled = true;
        for (const account of needed) account.reserved -= setAside;
        leave(name, needed);
        dailySpend.add(name, amount(microUsd, setAside));
        if (needed[0]) serve(needed[0].line);
      },
    };
  }

  /** A limit that was removed holds no request back any more. */
  function changeLimit(account: BudgetAccount, limit: Limit | undefined): void {
    account.limit = limit ?? { ...account.limit, microUsd: Number.POSITIVE_INFINITY };
  }

  return {
    changeLimits(next) {
      limits = readLimits(next);
      ({ whenSpent } = next);
      for (const name of limits.named) known.add(name);
      const changed = [...(everyone ? [everyone] : []), ...accounts.values()];
      if (everyone) changeLimit(everyone, limits.everyone);
      for (const [name, account] of accounts) {
        const limit = limits.of(name);
        changeLimit(account, limit);
        if (!limit) accounts.delete(name);
      }
      if (!limits.everyone) everyone = undefined;
      else everyone ??= createAccount(limits.everyone, () => dailySpend.all());
      for (const { line } of changed) serve(line);
    },

    async refresh() {
      await refresh();
      for (const { line } of [...(everyone ? [everyone] : []), ...accounts.values()]) serve(line);
    },

    spent: (principal) => dailySpend.of(nameOf(principal)),

    left(principal) {
      const lefts = accountsOf(nameOf(principal)).map(({ limit, spent }) => ({
        whose: limit.whose,
        leftMicroUsd: Math.max(0, limit.microUsd - spent()),
        reason: spendingReason(limit, spent(), viewerOf(principal)),
      }));
      return lefts.toSorted((a, b) => a.leftMicroUsd - b.leftMicroUsd)[0];
    },

    async reserve(principal, max, wait) {
      wait.signal.throwIfAborted();
      const name = remember(principal);
      const needed = accountsOf(name);
      const viewer = viewerOf(principal);
      const [widest, ...others] = needed;
      const maxMicroUsd = amount(max, MOST_MICRO_USD);
      const empty = needed.find(isEmpty);
      const isFree = maxMicroUsd === 0;
      if (empty && !(isFree && whenSpent === 'step_down')) throw refusal(empty, viewer);
      take(name, needed);
      // A free request does not wait.
      if (!widest || isFree) return reservationOf(name, needed, 0);
      try {
        await waitForBudget([widest, ...others], maxMicroUsd, viewer, wait);
      } catch (thrown) {
        leave(name, needed);
        throw thrown;
      }
      return reservationOf(name, needed, maxMicroUsd);
    },
  };
}

function viewerOf(principal: string): Viewer {
  return principal === OWNER_PRINCIPAL ? 'owner' : 'client';
}

function createAccount(limit: Limit, spent: () => number): BudgetAccount {
  return { limit, spent, reserved: 0, users: 0, line: new Set() };
}

function isEmpty({ limit, spent }: BudgetAccount): boolean {
  return spent() >= limit.microUsd;
}

/** A request without others may exceed the remaining budget, as its real cost is unknown. */
function hasRoom({ limit, spent, reserved }: BudgetAccount, maxMicroUsd: number): boolean {
  return reserved === 0 || spent() + reserved + maxMicroUsd <= limit.microUsd;
}

/** Whole micro-dollars, never negative; an invalid amount counts as `most`. */
function amount(microUsd: number, most: number): number {
  if (!Number.isFinite(microUsd)) return microUsd === Number.NEGATIVE_INFINITY ? 0 : most;
  return Math.min(Math.max(0, Math.ceil(microUsd)), MOST_MICRO_USD);
}

import { clientNameOfPrincipal } from '#core/auth/principal.ts';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { advice, fix, type Fix } from '#core/messages/fixes.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { toMicroUsd } from '#core/text/money.ts';
import type { Clock } from '#core/time/clock.ts';
import { DAY_MS, utcDay } from '#core/time/utc-day.ts';

/** The configured limits; 0 means no limit. */
export interface BudgetLimits {
  readonly dailyUsd: number;
  readonly clientDailyUsd: number;
  /** `name=usd`: overrides `clientDailyUsd` for one client. */
  readonly clients: readonly string[];
  readonly whenSpent: 'step_down' | 'refuse';
}

export interface Limit {
  readonly whose: 'everyone' | 'client';
  readonly microUsd: number;
  /** The client; absent for the limit of all clients together. */
  readonly client?: string;
  /** The setting, and how to change it. */
  readonly setting: string;
  readonly change: string;
}

interface ReadLimits {
  readonly everyone: Limit | undefined;
  /** Clients named in the configuration. */
  readonly named: readonly string[];
  of(principal: string): Limit | undefined;
}

export function readLimits({ dailyUsd, clientDailyUsd, clients }: BudgetLimits): ReadLimits {
  const named = new Map(clients.map(readClient));
  const everyone = limitOf(dailyUsd, 'budget.dailyUsd');
  return {
    everyone: everyone && { ...everyone, whose: 'everyone' },
    named: [...named.keys()],
    of(principal) {
      const name = clientNameOfPrincipal(principal);
      const own = named.get(name);
      const limit =
        own === undefined
          ? limitOf(clientDailyUsd, 'budget.clientDailyUsd')
          : limitOf(own, 'budget.clients', `${name}=… in budget.clients`);
      return limit && { ...limit, client: name };
    },
  };
}

/** Parses `name=usd`; the name `local` is the owner. */
function readClient(text: string): readonly [name: string, usd: number] {
  const at = text.lastIndexOf('=');
  return [text.slice(0, at), Number(text.slice(at + 1))];
}

/** A limit of at least one micro-dollar. */
function limitOf(usd: number, setting: string, change = setting): Limit | undefined {
  if (!(usd > 0)) return undefined;
  return { whose: 'client', microUsd: Math.max(1, toMicroUsd(usd)), setting, change };
}

/** The reader of a spending message: only the owner may see what others spend. */
export type Viewer = 'owner' | 'client';

/** `laptop has spent $0.42 of $0.50 today (budget.clientDailyUsd)` */
export function spendingReason(
  { client, microUsd, setting, whose }: Limit,
  spentMicroUsd: number,
  viewer: Viewer,
): Reason {
  if (whose === 'everyone' && viewer === 'client') {
    return reason('shared_budget', { state: spentMicroUsd >= microUsd ? 'used_up' : 'left' });
  }
  return reason('spent_today', {
    ...(client !== undefined && { client }),
    spentMicroUsd,
    limitMicroUsd: microUsd,
    setting,
  });
}

export function budgetExhausted(
  limit: Limit,
  spentMicroUsd: number,
  viewer: Viewer,
  nowMs: number,
): CallError {
  const midnight = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
  const spending = spendingReason(limit, spentMicroUsd, viewer);
  const why = reason('budget_used_up', { spending, resetsOn: utcDay(midnight) });
  return codedError('budget', why, {
    field: limit.setting,
    fixes: [raise(limit), advice('Or wait until then; a limit of 0 is none.')],
    retryAfterMs: midnight - nowMs,
  });
}

export function budgetWaitTimeout(limit: Limit, spentMicroUsd: number, viewer: Viewer): CallError {
  const spending = spendingReason(limit, spentMicroUsd, viewer);
  return codedError('timeout', reason('budget_reserved', { spending }), {
    field: limit.setting,
    fixes: [raise(limit), advice('Or ask for fewer things at once; a limit of 0 is none.')],
  });
}

function raise({ change }: Limit): Fix {
  return fix('raise_setting', { settings: [change] });
}

/** The spend of today (UTC) by principal and in total, in micro-dollars. */
interface DailySpend {
  all(): number;
  of(name: string): number;
  add(name: string, microUsd: number): void;
}

interface Page {
  all: number;
  readonly by: Map<string, number>;
}

/** Enough days for a clock that is set back and forth. */
const MAX_DAYS = 3;

/**
 * Counts the spend per day: a new day starts at 0, and a clock that was wrong for a moment loses
 * nothing.
 */
export function createDailySpend(clock: Pick<Clock, 'now'>): DailySpend {
  const pages = createBoundedMap<number, Page>({ maxEntries: MAX_DAYS });
  let day = Number.NaN;
  let page: Page = { all: 0, by: new Map() };

  function today(): Page {
    const now = Math.floor(clock.now() / DAY_MS);
    if (now === day) return page;
    day = now;
    page = pages.get(now) ?? { all: 0, by: new Map() };
    pages.set(now, page);
    return page;
  }

  return {
    all: () => today().all,
    of: (name) => today().by.get(name) ?? 0,
    add(name, microUsd) {
      const { by } = today();
      page.all += microUsd;
      by.set(name, (by.get(name) ?? 0) + microUsd);
    },
  };
}

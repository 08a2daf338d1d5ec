import type { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import { clientNameOf } from '#core/client-name.ts';
import { advice, fix, type Fix } from '#core/messages/fixes.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { toMicroUsd } from '#core/money.ts';
import { DAY_MS, utcDay } from '#core/utc-day.ts';

/** As the configuration has them; 0 sets no limit. */
export interface BudgetLimits {
  readonly dailyUsd: number;
  readonly clientDailyUsd: number;
  /** `name=usd`: in place of `clientDailyUsd` for this one. */
  readonly clients: readonly string[];
  readonly whenSpent: 'step_down' | 'refuse';
}

export interface Limit {
  readonly whose: 'everyone' | 'client';
  readonly microUsd: number;
  /** Whose money it is; absent where it is everyone's. */
  readonly client?: string;
  /** What sets it, and what to write there. */
  readonly setting: string;
  readonly change: string;
}

export interface ReadLimits {
  readonly everyone: Limit | undefined;
  /** Those of whom the configuration speaks. */
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
      const name = clientNameOf(principal);
      const own = named.get(name);
      const limit =
        own === undefined
          ? limitOf(clientDailyUsd, 'budget.clientDailyUsd')
          : limitOf(own, 'budget.clients', `${name}=… in budget.clients`);
      return limit && { ...limit, client: name };
    },
  };
}

/** A client is meant by its name; `local` is the owner. */
function readClient(text: string): readonly [name: string, usd: number] {
  const at = text.lastIndexOf('=');
  return [text.slice(0, at), Number(text.slice(at + 1))];
}

/** However small a limit is, it is one. */
function limitOf(usd: number, setting: string, change = setting): Limit | undefined {
  if (!(usd > 0)) return undefined;
  return { whose: 'client', microUsd: Math.max(1, toMicroUsd(usd)), setting, change };
}

/** Who reads it: what others spend is the owner's to know. */
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

export function budgetSpent(
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

export function waitedTooLong(limit: Limit, spentMicroUsd: number, viewer: Viewer): CallError {
  const spending = spendingReason(limit, spentMicroUsd, viewer);
  return codedError('timeout', reason('budget_reserved', { spending }), {
    field: limit.setting,
    fixes: [raise(limit), advice('Or ask for fewer things at once; a limit of 0 is none.')],
  });
}

function raise({ change }: Limit): Fix {
  return fix('raise_setting', { settings: [change] });
}

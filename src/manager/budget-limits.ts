import { CallError } from '#core/call-error.ts';
import { clientNameOf } from '#core/client-name.ts';
import { dollars } from '#core/dollars.ts';
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
  /** Whose money it is: `laptop has`. */
  readonly subject: string;
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
  const everyone = limit(dailyUsd, 'All clients together have', 'budget.dailyUsd');
  return {
    everyone: everyone && { ...everyone, whose: 'everyone' },
    named: [...named.keys()],
    of(principal) {
      const name = clientNameOf(principal);
      const [subject, own] = [`${name} has`, named.get(name)];
      if (own === undefined) return limit(clientDailyUsd, subject, 'budget.clientDailyUsd');
      return limit(own, subject, 'budget.clients', `${name}=… in budget.clients`);
    },
  };
}

/** A client is meant by its name; `local` is the owner. */
function readClient(text: string): readonly [name: string, usd: number] {
  const at = text.lastIndexOf('=');
  return [text.slice(0, at), Number(text.slice(at + 1))];
}

/** However small a limit is, it is one. */
function limit(usd: number, subject: string, setting: string, change = setting): Limit | undefined {
  if (!(usd > 0)) return undefined;
  return { whose: 'client', microUsd: Math.max(1, toMicroUsd(usd)), subject, setting, change };
}

/** Who reads it: what others spend is the owner's to know. */
export type Viewer = 'owner' | 'client';

/** `laptop has spent $0.42 of $0.50 today (budget.clientDailyUsd)` */
export function spentWords(
  { subject, microUsd, setting, whose }: Limit,
  spentMicroUsd: number,
  viewer: Viewer,
): string {
  if (whose === 'everyone' && viewer === 'client') {
    const state = spentMicroUsd >= microUsd ? 'is used up for today' : 'has something left today';
    return `The budget that all clients share ${state}`;
  }
  return `${subject} spent ${dollars(spentMicroUsd)} of ${dollars(microUsd)} today (${setting})`;
}

export function budgetSpent(
  limit: Limit,
  spentMicroUsd: number,
  viewer: Viewer,
  nowMs: number,
): CallError {
  const midnight = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
  const words = spentWords(limit, spentMicroUsd, viewer);
  return new CallError('budget', `${words}; it starts anew at ${utcDay(midnight)} 00:00 UTC.`, {
    field: limit.setting,
    fix: `Wait until then, or raise ${limit.change}; 0 sets no limit.`,
    retryAfterMs: midnight - nowMs,
  });
}

export function waitedTooLong(limit: Limit, spentMicroUsd: number, viewer: Viewer): CallError {
  const words = spentWords(limit, spentMicroUsd, viewer);
  return new CallError(
    'timeout',
    `${words}; the rest was set aside for other requests until the time of this one was over.`,
    {
      field: limit.setting,
      fix: `Ask for fewer things at once, or raise ${limit.change}; 0 sets no limit.`,
    },
  );
}

import type { ProviderId } from '#core/llm/provider.ts';
import { accountPlanOf, type AccountPlan } from './sim-account.ts';
import { HEALTHY, createVendorSchedule, type VendorSchedule } from './vendor-modes.ts';
import type { SeededRandom } from './random.ts';

export const VENDORS = ['kimi', 'glm', 'openrouter', 'custom'] as const satisfies ProviderId[];
export type Vendor = (typeof VENDORS)[number];

/** How the models of a simulation can be asked. */
export interface AskingPlan {
  /** Those that are not set up are absent. */
  readonly schedules: Readonly<Partial<Record<Vendor, VendorSchedule>>>;
  /** The keys of a vendor and what they allow; where it is absent, one key without limits. */
  readonly accounts: Readonly<Partial<Record<'kimi' | 'glm', AccountPlan>>>;
  readonly patience: { readonly firstTokenMs: number; readonly idleMs: number };
  readonly breaker: {
    readonly windowMs: number;
    readonly minCalls: number;
    readonly failurePercent: number;
    readonly coolOffMs: number;
    readonly maxCoolOffMs: number;
  };
  /** In dollars; 0 sets no limit. */
  readonly budget: {
    readonly dailyUsd: number;
    readonly clientDailyUsd: number;
    readonly whenSpent: 'step_down' | 'refuse';
  };
  readonly extractiveFallback: 'text' | 'always' | 'never';
  /** Whether others are asked beside a silent one, and after which silence at least. */
  readonly hedge: { readonly mode: 'off' | 'auto' | 'on'; readonly leastMs: number };
  readonly classifyMs: number;
  /**
   * The quick model, which also answers side questions; empty for the usual one, which costs
   * nothing.
   */
  readonly quickModel: string;
}

export const CALM: AskingPlan = {
  schedules: { kimi: HEALTHY, glm: HEALTHY },
  accounts: {},
  patience: { firstTokenMs: 2000, idleMs: 1000 },
  breaker: {
    windowMs: 60_000,
    minCalls: 3,
    failurePercent: 50,
    coolOffMs: 500,
    maxCoolOffMs: 4000,
  },
  budget: { dailyUsd: 0, clientDailyUsd: 0, whenSpent: 'step_down' },
  extractiveFallback: 'text',
  hedge: { mode: 'off', leastMs: 200 },
  classifyMs: 800,
  quickModel: '',
};

/** From less than one answer costs to more than anybody asks for. */
const LIMITS_USD = [0.000_001, 0.0002, 0.001, 0.005];

export function askingPlanOf(random: SeededRandom, kind: 'any' | 'breaking'): AskingPlan {
  const isThere = { kimi: 0.95, glm: 0.95, openrouter: 0.35, custom: 0.5 };
  const schedules = VENDORS.flatMap((vendor) =>
    random.chance(isThere[vendor]) ? [[vendor, createVendorSchedule(random, kind)] as const] : [],
  );
  const accounts = random.fork('accounts');
  const hedges = random.fork('hedges');
  const limit = () => (random.chance(0.5) ? random.pick(LIMITS_USD) : 0);
  return {
    schedules: Object.fromEntries(schedules),
    accounts: accounts.chance(0.7)
      ? { kimi: accountPlanOf(accounts), glm: accountPlanOf(accounts) }
      : {},
    patience: { firstTokenMs: random.pick([300, 900, 2500]), idleMs: random.pick([200, 800]) },
    breaker: {
      windowMs: random.pick([1000, 10_000, 60_000]),
      minCalls: random.between(1, 4),
      failurePercent: random.pick([30, 50, 90]),
      coolOffMs: random.pick([100, 400, 1500]),
      maxCoolOffMs: random.pick([1500, 5000]),
    },
    budget: {
      dailyUsd: limit(),
      clientDailyUsd: limit(),
      whenSpent: random.pick(['step_down', 'refuse']),
    },
    extractiveFallback: random.pick(['text', 'text', 'always', 'never']),
    hedge: {
      mode: hedges.pick(['off', 'auto', 'on', 'on']),
      leastMs: hedges.pick([40, 120, 300]),
    },
    classifyMs: random.pick([200, 800]),
    quickModel: random.pick(['', '', 'glm-4.7', 'glm-5.3-flashx']),
  };
}

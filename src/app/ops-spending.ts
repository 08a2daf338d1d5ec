import type { Clock } from '#core/clock.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { BreakerFinding, ExhaustedBalance, Ops, SpendingFinding } from '#core/ops.ts';
import type { Store } from '#core/stores/store.ts';
import { utcDay } from '#core/utc-day.ts';
import { LOCAL } from '#calls/doorman.ts';
import type { Budgets } from '#manager/budget-words.ts';

export interface SpendingParts {
  readonly usage: Pick<Store['usage'], 'totals'>;
  readonly breakers: () => Promise<readonly BreakerFinding[]>;
  readonly budgets: Pick<Budgets, 'left'> | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/** Today's money: the owner is told of all clients together, a client of its own. */
export async function findSpending(
  { principal }: Parameters<Ops['spending']>[0],
  { usage, breakers, budgets, clock }: SpendingParts,
): Promise<SpendingFinding> {
  const day = utcDay(clock.now());
  const whose = principal === LOCAL.principal ? {} : { principal };
  const [totals, findings] = await Promise.all([
    usage.totals({ ...whose, fromDay: day, toDay: day }),
    breakers(),
  ]);
  const sum = (name: 'calls' | 'costMicroUsd' | 'unpriced' | 'estimated') =>
    totals.reduce((all, total) => all + total[name], 0);
  const left = budgets?.left(principal);
  // How much is left of what all share would tell a client what the others spend.
  const budget = left?.whose === 'everyone' && principal !== LOCAL.principal ? undefined : left;
  return {
    day,
    calls: sum('calls'),
    costMicroUsd: sum('costMicroUsd'),
    unpriced: sum('unpriced'),
    estimated: sum('estimated'),
    ...(budget && {
      budget: {
        leftMicroUsd: budget.leftMicroUsd,
        because: baseRenderer.reason(budget.reason),
      },
    }),
    exhausted: findings.flatMap(exhaustedBalance),
  };
}

/** An account's breaker opens at once when the provider wants money, and stays so until it answered again. */
function exhaustedBalance({ key, state, errorClass }: BreakerFinding): ExhaustedBalance[] {
  const isAccount = !key.includes('/');
  if (!isAccount || state === 'closed') return [];
  if (errorClass !== 'billing' && errorClass !== 'quota') return [];
  return [{ provider: key, errorClass }];
}

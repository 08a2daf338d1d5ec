import { dollars } from './dollars.ts';
import type { ExhaustedBalance, SpendingFinding } from './ops.ts';

/** `$0.0123 for 5 requests to models, 1 of them without a known price`. What was not asked for cost nothing, and is no news. */
export function spentTodayWords(spending: SpendingFinding): string | undefined {
  const { calls, costMicroUsd } = spending;
  if (calls === 0) return undefined;
  const requests = `${calls} request${calls === 1 ? '' : 's'} to models`;
  return [`${dollars(costMicroUsd)} for ${requests}`, ...remarks(spending)].join(', ');
}

function remarks({ calls, unpriced, estimated }: SpendingFinding): string[] {
  const some = (count: number, what: string) =>
    count === 0 ? [] : [count === calls ? what : `${count} of them ${what}`];
  return [...some(unpriced, 'without a known price'), ...some(estimated, 'estimated')];
}

/** `$0.38 left; laptop has spent $0.12 of $0.50 today (budget.clientDailyUsd)` */
export function budgetWords({ budget }: Pick<SpendingFinding, 'budget'>): string | undefined {
  return budget && `${dollars(budget.leftMicroUsd)} left; ${budget.because}`;
}

/** `used up at kimi (quota), glm (billing)` */
export function exhaustedWords(exhausted: readonly ExhaustedBalance[]): string | undefined {
  if (exhausted.length === 0) return undefined;
  const names = exhausted.map(({ provider, errorClass }) => `${provider} (${errorClass})`);
  return `used up at ${names.join(', ')}`;
}

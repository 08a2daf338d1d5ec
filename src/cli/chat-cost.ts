import { dollars } from '#core/dollars.ts';
import type { SpendingReport } from '#core/usage-report.ts';
import type { Spent } from './chat-state.ts';

/** What this chat took. */
export function chatCost({ answers, input, output, microUsd, unsure }: Spent): string {
  if (answers === 0) return 'This chat: nothing yet.';
  const count = answers === 1 ? '1 answer' : `${number(answers)} answers`;
  const cost = microUsd === 0 && unsure === 0 ? 'free' : dollars(microUsd);
  const doubt =
    unsure === 0 ? '' : ` (${unsure === answers ? 'all' : unsure} estimated or unpriced)`;
  return `This chat: ${count}, ${number(input)} tokens in, ${number(output)} out, ${cost}${doubt}.`;
}

/** What all clients took today. */
export function todaysCost({ day, calls, costMicroUsd, unpriced, budget }: SpendingReport): string {
  const count = calls === 1 ? '1 request' : `${number(calls)} requests`;
  const doubt = unpriced === 0 ? '' : `, ${unpriced} unpriced`;
  const left = budget === undefined ? '' : ` ${dollars(budget.leftMicroUsd)} may still be spent.`;
  return `Today (${day}, UTC, all clients): ${count}, ${dollars(costMicroUsd)}${doubt}.${left}`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}

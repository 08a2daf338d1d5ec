import type { SpendingFinding } from './ops.ts';
import type { UsageAmounts, UsageGroup, UsageSum } from './stores/usage.ts';

/** The methods by which the command line asks the daemon, on the unix socket alone: the owner sees what every client used. */
export const USAGE_METHODS = { report: 'exai/usage', spending: 'exai/spending' } as const;

export interface UsageRequest {
  readonly by: UsageGroup;
  readonly fromDay: string;
  readonly toDay: string;
}

export interface UsageReport extends UsageRequest {
  readonly rows: readonly UsageSum[];
  readonly total: UsageAmounts;
}

/** Of all clients together. */
export type SpendingReport = SpendingFinding;

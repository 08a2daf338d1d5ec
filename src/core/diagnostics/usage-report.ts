import type { SpendingFinding } from './diagnostics.ts';
import type { UsageAmounts, UsageGroup, UsageSum } from '../stores/usage.ts';

/**
 * RPC methods of usage reports. Served on the unix socket only, as the owner sees the usage of
 * every client.
 */
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

/** Spending of all clients together. */
export type SpendingReport = SpendingFinding;

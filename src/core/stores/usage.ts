/** What requests to models took, added up. */
export interface UsageAmounts {
  /** Requests to a model; a call may make several. */
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  readonly costMicroUsd: number;
  /** Of the requests, those whose price nobody named. */
  readonly unpriced: number;
  /** Of the requests, those whose tokens we counted, because the vendor did not. */
  readonly estimated: number;
}

export interface UsageTotal extends UsageAmounts {
  readonly principal: string;
  /** UTC day, `2026-11-15`. */
  readonly day: string;
  /** Empty for what was used before tools were written down. */
  readonly tool: string;
  readonly provider: string;
  readonly model: string;
}

export const USAGE_GROUPS = ['client', 'model', 'tool', 'day'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageSum extends UsageAmounts {
  /** The client, model, tool or day that it is the sum of. */
  readonly name: string;
  /** Of a model. */
  readonly provider?: string;
}

export interface UsageFilter {
  readonly principal?: string;
  readonly fromDay: string;
  readonly toDay: string;
}

/** Totals are kept per day as calls are recorded, so asking costs the same on the first day and after a million calls. */
export interface UsageStore {
  totals(filter: UsageFilter): Promise<UsageTotal[]>;
  /** Days oldest first; everything else by cost, then by requests, most first. */
  sums(by: UsageGroup, filter: UsageFilter): Promise<UsageSum[]>;
}

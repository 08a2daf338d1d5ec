/** Totals of model requests. */
export interface UsageAmounts {
  /** Requests to a model; a call may make several. */
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  readonly costMicroUsd: number;
  /** Requests without a known price. */
  readonly unpriced: number;
  /** Requests with estimated tokens, as the vendor reported none. */
  readonly estimated: number;
}

export interface UsageTotal extends UsageAmounts {
  readonly principal: string;
  /** UTC day, `2026-11-15`. */
  readonly day: string;
  /** Empty for usage recorded before tools were. */
  readonly tool: string;
  readonly provider: string;
  readonly model: string;
}

export const USAGE_GROUPS = ['client', 'model', 'tool', 'day'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageSum extends UsageAmounts {
  /** The client, model, tool or day of the sum; empty where it was not recorded. */
  readonly name: string;
  /** Provider of a model. */
  readonly provider?: string;
  /** Whose access a client used. */
  readonly principal?: string;
}

export interface UsageFilter {
  readonly principal?: string;
  readonly fromDay: string;
  readonly toDay: string;
}

/** Usage totals, kept per day as calls are recorded, so queries stay fast after a million calls. */
export interface UsageStore {
  totals(filter: UsageFilter): Promise<UsageTotal[]>;
  /** Days oldest first; everything else by cost, then by requests, most first. */
  sums(by: UsageGroup, filter: UsageFilter): Promise<UsageSum[]>;
}

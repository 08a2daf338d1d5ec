export interface UsageTotal {
  readonly principal: string;
  /** UTC day, `2026-11-15`. */
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  readonly costMicroUsd: number;
}

/** Totals are kept per day as calls are recorded, so asking costs the same on the first day and after a million calls. */
export interface UsageStore {
  totals(filter: { principal?: string; fromDay: string; toDay: string }): Promise<UsageTotal[]>;
}

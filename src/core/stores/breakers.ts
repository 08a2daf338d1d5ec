import type { Json } from '../json/json.ts';

/** Saved breaker states, so that a restart does not forget an outage. */
export interface BreakerStore {
  save(key: string, state: Json): Promise<void>;
  all(): Promise<{ key: string; state: Json; updatedAt: number }[]>;
}

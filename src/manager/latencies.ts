import { createBoundedMap } from '#core/bounded-map.ts';

/** How long models take to their first word, as far as they were seen. */
export interface Latencies {
  firstTokenMs(provider: string, model: string): number | undefined;
  learn(provider: string, model: string, firstTokenMs: number): void;
}

const MAX_MODELS = 256;
/** Of the newest measurement in the average: an hour ago matters little. */
const NEWEST = 0.2;

export function createLatencies(): Latencies {
  const known = createBoundedMap<string, number>({ maxEntries: MAX_MODELS });
  const keyOf = (provider: string, model: string) => `${provider}/${model}`;
  return {
    firstTokenMs: (provider, model) => known.get(keyOf(provider, model)),
    learn(provider, model, ms) {
      if (!Number.isFinite(ms) || ms < 0) return;
      const key = keyOf(provider, model);
      const before = known.get(key);
      known.set(key, before === undefined ? ms : before + NEWEST * (ms - before));
    },
  };
}

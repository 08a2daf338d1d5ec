import { createBoundedMap } from '#core/bounded-map.ts';

/** Measured time to first token per model. */
export interface Latencies {
  firstTokenMs(provider: string, model: string): number | undefined;
  learn(provider: string, model: string, firstTokenMs: number): void;
}

const MAX_MODELS = 256;
/** Weight of the newest measurement in the moving average. */
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

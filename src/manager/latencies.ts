import { createBoundedMap } from '#core/bounded-map.ts';

/** What the time to the first token depends on, beside the model. */
export interface LatencyTraits {
  /** A response that is not streamed has its first token at its end. */
  readonly delivery: 'stream' | 'whole';
  readonly thinks: boolean;
  /** Whether the vendor searches the web first. */
  readonly searches: boolean;
  readonly promptTokens: number;
}

/** Measured time to first token per model. */
export interface Latencies {
  /** Of all requests to the model. */
  firstTokenMs(provider: string, model: string): number | undefined;
  /**
   * Of requests like this one, most of them: the mean and the mean deviation together. Undefined until
   * a few were measured.
   */
  usualMs(provider: string, model: string, traits: LatencyTraits): number | undefined;
  learn(provider: string, model: string, firstTokenMs: number, traits?: LatencyTraits): void;
  /** How long a streamed answer took in all: as long as it would have taken as a whole. */
  learnWhole(provider: string, model: string, elapsedMs: number, traits: LatencyTraits): void;
}

const MAX_MODELS = 256;
/** Kinds of requests, over all models. */
const MAX_KINDS = 2048;
/** Weight of the newest measurement in the moving average. */
const NEWEST = 0.2;
/** Fewer measurements say nothing about what is usual. */
const MIN_MEASURED = 3;
/** Prompts up to these sizes are alike: a longer one takes longer to read. */
const PROMPT_SIZES = [8000, 64_000, 256_000] as const;

interface Measured {
  readonly meanMs: number;
  readonly deviationMs: number;
  readonly count: number;
}

export function createLatencies(): Latencies {
  const models = createBoundedMap<string, number>({ maxEntries: MAX_MODELS });
  const kinds = createBoundedMap<string, Measured>({ maxEntries: MAX_KINDS });
  const keyOf = (provider: string, model: string) => `${provider}/${model}`;

  function learnKind(kind: string, ms: number): void {
    const { meanMs = ms, deviationMs, count = 0 } = kinds.get(kind) ?? {};
    kinds.set(kind, {
      meanMs: average(meanMs, ms),
      deviationMs: average(deviationMs, Math.abs(ms - meanMs)),
      count: count + 1,
    });
  }

  return {
    firstTokenMs: (provider, model) => models.get(keyOf(provider, model)),
    usualMs(provider, model, traits) {
      const measured = kinds.get(keyOf(provider, model) + kindOf(traits));
      if (!measured || measured.count < MIN_MEASURED) return undefined;
      return measured.meanMs + measured.deviationMs;
    },
    learn(provider, model, ms, traits) {
      if (!Number.isFinite(ms) || ms < 0) return;
      const key = keyOf(provider, model);
      models.set(key, average(models.get(key), ms));
      if (traits) learnKind(key + kindOf(traits), ms);
    },
    learnWhole(provider, model, ms, traits) {
      if (!Number.isFinite(ms) || ms < 0) return;
      learnKind(keyOf(provider, model) + kindOf({ ...traits, delivery: 'whole' }), ms);
    },
  };
}

function average(before: number | undefined, ms: number): number {
  return before === undefined ? ms : before + NEWEST * (ms - before);
}

function kindOf({ delivery, thinks, searches, promptTokens }: LatencyTraits): string {
  const larger = PROMPT_SIZES.findIndex((size) => promptTokens <= size);
  const size = larger === -1 ? PROMPT_SIZES.length : larger;
  return ` ${delivery}${thinks ? ' thinks' : ''}${searches ? ' searches' : ''} ${size}`;
}

import { createBoundedMap } from '#core/bounded-map.ts';
import type { Json } from '#core/json/json.ts';
import type { ProviderId } from '#core/llm/provider.ts';

/** Calibration of token estimates per model, learned from the counts of vendors. */
export interface TokenCalibration {
  /** Ratio of real to estimated tokens; 1 by default. */
  correction(provider: ProviderId, model: string): number;
  /** Learns a vendor's own count of a prompt that contains only what was estimated. */
  learn(provider: ProviderId, model: string, estimated: number, real: number): void;
  /**
   * The state as `createTokenCalibration` takes it; clears `isDirty` until something new is
   * learned.
   */
  toJson(): Json;
  readonly isDirty: boolean;
}

const MAX_MODELS = 256;
const MAX_NAME_CHARS = 256;
/** In shorter prompts the vendor's overhead is too large a part. */
const MIN_TOKENS = 200;
const LOWEST = 0.5;
const HIGHEST = 3;
/** A larger factor means that it was not the same prompt. */
const ABSURD = 8;
/** Maximum weight of a measurement, and the prompt size that has half of it. */
const MOST_WEIGHT = 0.4;
const HALF_WEIGHT_TOKENS = 4_000;
/** The smallest change that is worth a write. */
const NOTICEABLE = 0.005;
const DIGITS = 4;

interface Learned {
  readonly provider: string;
  readonly model: string;
  ratio: number;
  savedRatio: number | undefined;
}

export function createTokenCalibration(saved?: Json): TokenCalibration {
  const models = createBoundedMap<string, Learned>({ maxEntries: MAX_MODELS });
  for (const each of readSaved(saved)) models.set(keyOf(each.provider, each.model), each);
  let hasNews = false;

  return {
    correction: (provider, model) => models.get(keyOf(provider, model))?.ratio ?? 1,
    learn(provider, model, estimated, real) {
      if (!isCount(estimated) || !isCount(real) || estimated < MIN_TOKENS) return;
      if (model.length > MAX_NAME_CHARS) return;
      const seen = real / estimated;
      if (seen > ABSURD || seen * ABSURD < 1) return;
      const key = keyOf(provider, model);
      const known = models.get(key) ?? { provider, model, ratio: 1, savedRatio: undefined };
      const weight = (MOST_WEIGHT * estimated) / (estimated + HALF_WEIGHT_TOKENS);
      known.ratio += weight * (clamp(seen) - known.ratio);
      models.set(key, known);
      hasNews ||= Math.abs(known.ratio - (known.savedRatio ?? 1)) >= NOTICEABLE;
    },
    toJson() {
      hasNews = false;
      return models.values().map((each) => {
        each.savedRatio = each.ratio;
        return [each.provider, each.model, Number(each.ratio.toFixed(DIGITS))];
      });
    },
    get isDirty() {
      return hasNews;
    },
  };
}

function keyOf(provider: string, model: string): string {
  return `${provider} ${model}`;
}

function isCount(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}

function clamp(ratio: number): number {
  return Math.min(HIGHEST, Math.max(LOWEST, ratio));
}

/** Parses the saved state, which may be old or damaged; invalid entries are dropped. */
function readSaved(saved: Json | undefined): readonly Learned[] {
  if (!Array.isArray(saved)) return [];
  const found: Learned[] = [];
  for (const entry of saved.slice(-MAX_MODELS) as readonly Json[]) {
    if (!Array.isArray(entry)) continue;
    const [provider, model, ratio] = entry as readonly Json[];
    if (typeof provider !== 'string' || typeof model !== 'string') continue;
    if (typeof ratio !== 'number' || !isCount(ratio)) continue;
    if (provider.length > MAX_NAME_CHARS || model.length > MAX_NAME_CHARS) continue;
    found.push({ provider, model, ratio: clamp(ratio), savedRatio: clamp(ratio) });
  }
  return found;
}

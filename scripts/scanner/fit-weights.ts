/** A labelled definition, as the scanner sees it. */
export interface Sample {
  readonly features: ReadonlySet<string>;
  readonly isPoisoned: boolean;
}

/** What each feature says, and what a definition without any is. */
export interface Weights {
  readonly bias: number;
  readonly weights: ReadonlyMap<string, number>;
}

/** Rarer ones say more of their author than of what is poisoned. */
const MIN_SAMPLES = 2;
const ROUNDS = 30;
const RATE = 0.15;
/** The rate in the last round, as a share of that in the first. */
const LAST_RATE = 0.3;
const L2 = 1e-4;
/** Weights are multiples of it. */
const STEP = 0.02;
/** Themes are few and were written by hand: they start with more say than words. */
const THEME_BONUS = 1;

/**
 * Logistic regression by AdaGrad, twice: over all features, then over those that said most. The same samples in the same order
 * give the same weights.
 */
export function fitWeights(samples: readonly Sample[], maxFeatures: number): Weights {
  const counts = countFeatures(samples);
  const known = [...counts].filter(([, count]) => count >= MIN_SAMPLES).map(([name]) => name);
  const all = fit(samples, known, counts);
  const said = (name: string) =>
    Math.abs(all.weights.get(name) ?? 0) * Math.sqrt(counts.get(name) ?? 0);
  const kept = known.toSorted((a, b) => said(b) - said(a)).slice(0, maxFeatures);
  const { bias, weights } = fit(samples, kept, counts);
  const rounded = [...weights].map(([name, weight]) => [name, round(weight)] as const);
  return { bias: round(bias), weights: new Map(rounded.filter(([, weight]) => weight !== 0)) };
}

/** How a definition is scored; `weigh-wording.ts` does the same. */
export function scoreOf({ features }: Sample, { bias, weights }: Weights): number {
  let sum = 0;
  let found = 0;
  for (const feature of features) {
    const weight = weights.get(feature);
    if (weight === undefined) continue;
    sum += weight;
    found += 1;
  }
  return bias + sum * scale(found);
}

/** As in `weigh-wording.ts`. */
const MIN_FEATURES = 36;
const scale = (features: number) => 4 / (Math.sqrt(Math.max(features, MIN_FEATURES)) + 1);
const round = (weight: number) => Number((Math.round(weight / STEP) * STEP).toFixed(2));

function countFeatures(samples: readonly Sample[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { features } of samples)
    for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  return counts;
}

function fit(
  samples: readonly Sample[],
  names: readonly string[],
  counts: ReadonlyMap<string, number>,
): Weights {
  const ids = new Map(names.map((name, id) => [name, id]));
  // A word that every definition has says little.
  const says = Float64Array.from(
    names,
    (name) =>
      Math.log(samples.length / (counts.get(name) ?? 1)) / 3 +
      (name.startsWith('theme:') ? THEME_BONUS : 0),
  );
  const rows = samples.map(({ features }) =>
    [...features].map((feature) => ids.get(feature)).filter((id) => id !== undefined),
  );
  const weights = new Float64Array(names.length);
  const squares = new Float64Array(names.length).fill(1e-8);
  let bias = 0;
  let biasSquares = 1e-8;
  const order = samples.map((_, at) => at);
  const random = createRandom();
  for (let round = 0; round < ROUNDS; round += 1) {
    shuffle(order, random);
    const rate = RATE * (1 - (round / ROUNDS) * (1 - LAST_RATE));
    for (const at of order) {
      const row = rows[at] ?? [];
      const factor = scale(row.length);
      let sum = bias;
      for (const id of row) sum += (weights[id] ?? 0) * (says[id] ?? 0) * factor;
      const isPoisoned = samples[at]?.isPoisoned === true;
      const error = 1 / (1 + Math.exp(-sum)) - Number(isPoisoned);
      for (const id of row) {
        const gradient = error * (says[id] ?? 0) * factor + L2 * (weights[id] ?? 0);
        squares[id] = (squares[id] ?? 0) + gradient * gradient;
        weights[id] = (weights[id] ?? 0) - (rate * gradient) / Math.sqrt(squares[id] ?? 1);
      }
      biasSquares += error * error;
      bias -= (rate * error) / Math.sqrt(biasSquares);
    }
  }
  return {
    bias,
    weights: new Map(names.map((name, id) => [name, (weights[id] ?? 0) * (says[id] ?? 0)])),
  };
}

function shuffle(order: number[], random: () => number): void {
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
  }
}

/** Park and Miller's generator: a run can be repeated. */
function createRandom(): () => number {
  let state = 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

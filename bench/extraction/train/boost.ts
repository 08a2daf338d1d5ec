/** Gradient boosting of small decision trees, for the vote and for the kinds of page. */
import type { Trees } from '../../../src/extract/html/vote/trees.ts';

export interface Samples {
  readonly rows: Float64Array;
  readonly width: number;
  readonly count: number;
  readonly labels: Float64Array;
  readonly weights: Float64Array;
}

export interface BoostOptions {
  readonly trees: number;
  readonly depth: number;
  readonly rate: number;
  readonly lambda: number;
  readonly minWeight: number;
  /** The share of features and of rows that each tree sees. */
  readonly features: number;
  readonly sample: number;
}

const BINS = 48;

export function boost(samples: Samples, options: BoostOptions): Trees {
  const { width, count, labels, weights } = samples;
  const { binned, cuts } = bin(samples);
  let positive = 0;
  let negative = 0;
  for (let i = 0; i < count; i++) {
    if (labels[i] === 1) positive += weights[i] as number;
    else negative += weights[i] as number;
  }
  const base = Math.log(positive / negative);
  const scores = new Float64Array(count).fill(base);
  const gradient = new Float64Array(count);
  const hessian = new Float64Array(count);
  const random = createRandom(1);
  const all = {
    base,
    roots: [] as number[],
    feature: [] as number[],
    threshold: [] as number[],
    left: [] as number[],
  };
  for (let tree = 0; tree < options.trees; tree++) {
    for (let i = 0; i < count; i++) {
      const p = 1 / (1 + Math.exp(-(scores[i] as number)));
      const weight = weights[i] as number;
      gradient[i] = weight * (p - (labels[i] as number));
      hessian[i] = weight * p * (1 - p) + 1e-9;
    }
    const features = Array.from({ length: width }, (_, j) => j).filter(
      () => random() < options.features,
    );
    const used = Uint8Array.from({ length: count }, () => (random() < options.sample ? 1 : 0));
    const root = all.feature.length;
    all.roots.push(root);
    const nodes = new Int32Array(count).fill(root);
    all.feature.push(-1);
    all.threshold.push(0);
    all.left.push(0);
    let level = [root];
    for (let depth = 0; depth <= options.depth && level.length > 0; depth++) {
      const slots = new Map(level.map((node, slot) => [node, slot]));
      const size = features.length * BINS * 2;
      const sums = new Float64Array(level.length * 2);
      const histogram = new Float64Array(depth < options.depth ? level.length * size : 0);
      for (let i = 0; i < count; i++) {
        const slot = used[i] === 1 ? slots.get(nodes[i] as number) : undefined;
        if (slot === undefined) continue;
        const g = gradient[i] as number;
        const h = hessian[i] as number;
        sums[slot * 2] = (sums[slot * 2] as number) + g;
        sums[slot * 2 + 1] = (sums[slot * 2 + 1] as number) + h;
        if (depth === options.depth) continue;
        let at = slot * size;
        for (const feature of features) {
          const cell = at + (binned[i * width + feature] as number) * 2;
          histogram[cell] = (histogram[cell] as number) + g;
          histogram[cell + 1] = (histogram[cell + 1] as number) + h;
          at += BINS * 2;
        }
      }
      const splits = new Map<number, { feature: number; bin: number; left: number }>();
      const next: number[] = [];
      level.forEach((node, slot) => {
        const g = sums[slot * 2] as number;
        const h = sums[slot * 2 + 1] as number;
        all.threshold[node] = (-g / (h + options.lambda)) * options.rate;
        if (depth === options.depth) return;
        const own = (g * g) / (h + options.lambda);
        let best = 1e-3;
        let split: { feature: number; bin: number } | undefined;
        features.forEach((feature, position) => {
          let gl = 0;
          let hl = 0;
          const from = slot * size + position * BINS * 2;
          const limit = (cuts[feature] as number[]).length;
          for (let b = 0; b < limit; b++) {
            gl += histogram[from + b * 2] as number;
            hl += histogram[from + b * 2 + 1] as number;
            const hr = h - hl;
            if (hl < options.minWeight || hr < options.minWeight) continue;
            const gain =
              (gl * gl) / (hl + options.lambda) + (g - gl) ** 2 / (hr + options.lambda) - own;
            if (gain <= best) continue;
            best = gain;
            split = { feature, bin: b };
          }
        });
        if (split === undefined) return;
        const left = all.feature.length;
        all.feature[node] = split.feature;
        all.threshold[node] = (cuts[split.feature] as number[])[split.bin] as number;
        all.left[node] = left;
        all.feature.push(-1, -1);
        all.threshold.push(0, 0);
        all.left.push(0, 0);
        splits.set(node, { ...split, left });
        next.push(left, left + 1);
      });
      if (splits.size > 0)
        for (let i = 0; i < count; i++) {
          const split = splits.get(nodes[i] as number);
          if (split === undefined) continue;
          nodes[i] =
            split.left + ((binned[i * width + split.feature] as number) <= split.bin ? 0 : 1);
        }
      level = next;
    }
    for (let i = 0; i < count; i++)
      scores[i] = (scores[i] as number) + (all.threshold[nodes[i] as number] as number);
  }
  return all;
}

/** Values as the number of the bin they are in; the cuts are quantiles. */
function bin({ rows, width, count }: Samples): { binned: Uint8Array; cuts: number[][] } {
  const binned = new Uint8Array(count * width);
  const cuts: number[][] = [];
  const step = Math.max(1, Math.floor(count / 20_000));
  for (let j = 0; j < width; j++) {
    const values: number[] = [];
    for (let i = 0; i < count; i += step) values.push(rows[i * width + j] as number);
    values.sort((a, b) => a - b);
    const own: number[] = [];
    for (let b = 1; b < BINS; b++) {
      const value = values[Math.floor((b * values.length) / BINS)] as number;
      if (own.length === 0 || value > (own.at(-1) as number)) own.push(value);
    }
    if (own.length <= 1) {
      const distinct = [...new Set(values)].slice(0, 40);
      own.length = 0;
      for (let k = 0; k + 1 < distinct.length; k++)
        own.push(((distinct[k] as number) + (distinct[k + 1] as number)) / 2);
    }
    // As they are written to the file.
    cuts.push([...new Set(own.map((value) => Number(value.toPrecision(5))))]);
    const list = cuts[j] as number[];
    for (let i = 0; i < count; i++) {
      const value = rows[i * width + j] as number;
      let low = 0;
      let high = list.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (value > (list[middle] as number)) low = middle + 1;
        else high = middle;
      }
      binned[i * width + j] = low;
    }
  }
  return { binned, cuts };
}

/** The same numbers in every run, so that the same pages give the same trees. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

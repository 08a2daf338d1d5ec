/**
 * Decision trees as parallel lists: node i asks whether feature `feature[i]` is at most
 * `threshold[i]` and goes to `left[i]` or `left[i] + 1`; a leaf has feature −1 and its value as the
 * threshold. bench/extraction/train.ts writes them.
 */
export interface Trees {
  readonly base: number;
  /** The first node of each tree. */
  readonly roots: readonly number[];
  readonly feature: readonly number[];
  readonly threshold: readonly number[];
  readonly left: readonly number[];
}

export interface CompiledTrees {
  readonly base: number;
  readonly roots: Int32Array;
  readonly feature: Int16Array;
  readonly threshold: Float64Array;
  readonly left: Int32Array;
}

export function compileTrees({ base, roots, feature, threshold, left }: Trees): CompiledTrees {
  return {
    base,
    roots: Int32Array.from(roots),
    feature: Int16Array.from(feature),
    threshold: Float64Array.from(threshold),
    left: Int32Array.from(left),
  };
}

/** The probability for a row of numbers. */
export function probability(trees: CompiledTrees, row: ArrayLike<number>): number {
  const { roots, feature, threshold, left } = trees;
  let sum = trees.base;
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree] as number;
    for (let asked = feature[node] as number; asked >= 0; asked = feature[node] as number)
      node =
        (left[node] as number) + ((row[asked] as number) <= (threshold[node] as number) ? 0 : 1);
    sum += threshold[node] as number;
  }
  return 1 / (1 + Math.exp(-sum));
}

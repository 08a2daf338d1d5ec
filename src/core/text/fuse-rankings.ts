export interface RankedItem<Key> {
  readonly key: Key;
  readonly score: number;
}

/** A ranking, best first, and how much it counts. */
export interface WeightedRanking<Key> {
  readonly weight: number;
  readonly items: readonly RankedItem<Key>[];
}

/**
 * Fuses rankings whose scores have different scales: each is scaled to 0..1 by its own range, and the
 * weighted scores are added up. What a ranking does not have counts as its last.
 */
export function fuseRankings<Key>(
  rankings: readonly WeightedRanking<Key>[],
): readonly RankedItem<Key>[] {
  const scores = new Map<Key, number>();
  for (const { weight, items } of rankings) {
    const [first] = items;
    const last = items.at(-1);
    if (!first || !last) continue;
    const range = first.score - last.score;
    for (const { key, score } of items) {
      const share = range > 0 ? (score - last.score) / range : 1;
      scores.set(key, (scores.get(key) ?? 0) + weight * share);
    }
  }
  return [...scores].map(([key, score]) => ({ key, score })).toSorted((a, b) => b.score - a.score);
}

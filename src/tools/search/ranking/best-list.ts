export interface RankedRow {
  readonly row: number;
  score: number;
}

/**
 * Keeps the best rows of many. `accepts` is asked only about those that would be among them, as the
 * decision about access costs more than a score.
 */
export function createBestList(limit: number, accepts: (row: number) => boolean) {
  /** Best first. */
  const best: RankedRow[] = [];
  return {
    offer(row: number, score: number): void {
      const last = best.at(-1);
      if (best.length === limit && last && score <= last.score) return;
      if (!accepts(row)) return;
      let at = best.length;
      while (at > 0 && (best[at - 1]?.score ?? Infinity) < score) at -= 1;
      best.splice(at, 0, { row, score });
      if (best.length > limit) best.pop();
    },
    items: (): readonly RankedRow[] => best,
  };
}

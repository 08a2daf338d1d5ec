import type { Labels } from './telemetry.ts';

type Rows = Map<string, Rows | Labels>;

/** More than the number of series of any metric; beyond it the cache starts over. */
const MAX_KEPT = 1000;

/**
 * Creates frozen label objects, one per combination of values, so that a metric can use their
 * identity as a key. Takes one value per name, in this order.
 */
export function internLabels<const Names extends readonly [string, ...string[]]>(
  ...names: Names
): (...values: { [Index in keyof Names]: string }) => Labels {
  const rows: Rows = new Map();
  const last = names.length - 1;
  let kept = 0;

  function keep(row: Rows, values: readonly string[]): Labels {
    const made = Object.freeze(
      Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])),
    );
    kept += 1;
    if (kept > MAX_KEPT) {
      kept = 0;
      rows.clear();
    } else row.set(values[last] ?? '', made);
    return made;
  }

  return (...values) => {
    let row = rows;
    for (let index = 0; index < last; index++) {
      const value = values[index] ?? '';
      let below = row.get(value) as Rows | undefined;
      if (!below) row.set(value, (below = new Map()));
      row = below;
    }
    return (row.get(values[last] ?? '') as Labels | undefined) ?? keep(row, values);
  };
}

/** Set for the projects of `npm run soak` in vitest.config.ts. */
const isThorough = process.env['EXAI_TEST_THOROUGH'] === '1';

/**
 * How many cases a test runs: few in the suite that runs after every change, and all of them in the
 * soak run.
 */
export function caseCount(everyday: number, thorough: number): number {
  return isThorough ? thorough : everyday;
}

/** Of a list of cases every `step`th in the everyday suite, and the whole list in the soak run. */
export function sampled<T>(cases: readonly T[], step: number): readonly T[] {
  return isThorough ? cases : cases.filter((_, at) => at % step === 0);
}

/**
 * Of a table that multiplies many things with each other: in the everyday suite so few cases that
 * each combination that `combinationsOf` names is still met, and the whole table in the soak run.
 * The same cases each time.
 */
export function covering<T>(
  cases: readonly T[],
  combinationsOf: (each: T) => readonly string[],
): readonly T[] {
  if (isThorough) return cases;
  const missing = new Map(cases.map((each) => [each, new Set(combinationsOf(each))]));
  const chosen = new Set<T>();
  for (;;) {
    let best: T | undefined;
    for (const [each, left] of missing)
      if (left.size > (best === undefined ? 0 : (missing.get(best)?.size ?? 0))) best = each;
    if (best === undefined) return cases.filter((each) => chosen.has(each));
    chosen.add(best);
    const met = missing.get(best) ?? new Set();
    missing.delete(best);
    for (const [each, left] of missing) {
      for (const combination of met) left.delete(combination);
      if (left.size === 0) missing.delete(each);
    }
  }
}

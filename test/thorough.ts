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

/** How far an estimate may be off for texts that people write; `estimate-tokens.test.ts` holds it to that. */
export const ESTIMATE_ERROR = 0.15;

/** Whether counting exactly could turn a decision that was made on an estimate. */
export function nearLimit(estimate: number, limit: number): boolean {
  return Math.abs(estimate - limit) <= limit * ESTIMATE_ERROR;
}

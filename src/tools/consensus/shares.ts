/** What is kept back of a call's time for telling how it went. */
const LAST_WORD_MS = 2_000;
const LAST_WORD_SHARE = 0.1;
/** With less than this nobody could think anything over. */
const FAIR_MS = 1_000;

/** How long each may take in a round, so that the rounds after it have as much. */
export function roundTime(perModelMs: number, leftMs: number, roundsLeft: number): number {
  const usable = leftMs - Math.min(LAST_WORD_MS, leftMs * LAST_WORD_SHARE);
  return Math.max(0, Math.min(perModelMs, usable / roundsLeft));
}

export function isFair(timeMs: number): boolean {
  return timeMs >= FAIR_MS;
}

/** What each of so many questions may cost, so that all of them together stay within the limit. */
export function costShare(limitMicroUsd: number, questions: number): number {
  return Math.floor(Math.max(0, limitMicroUsd) / questions);
}

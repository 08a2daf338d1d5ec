/**
 * As the libraries put it that clients are made with: `Request timed out` and `Maximum total timeout exceeded` (TypeScript),
 * `request timeout` (Rust), `TimeoutError: …` (an aborted signal).
 */
const BY_TIME = /timed?[- ]?out/i;
const MAX_REASON_CHARS = 512;

/** Whether a client cancels because its time is up, and not because nobody wants the answer any more. */
export function gaveUpByTime(reason: unknown): boolean {
  return typeof reason === 'string' && BY_TIME.test(reason.slice(0, MAX_REASON_CHARS));
}

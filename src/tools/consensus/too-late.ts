import { CallError } from '#core/call-error.ts';

export interface TimeTaken {
  readonly elapsedMs: number;
  /** What it was given. */
  readonly timeoutMs: number;
  /** What the caller allows each of them; more than it was given where the call itself has less. */
  readonly perModelMs: number;
}

/** Timers and clocks may differ by so much. */
const EARLY_MS = 10;

/** The failure of who used up its own time says so: to whoever asked, the call has time left. Any other stays as it is. */
export function inItsTime(error: CallError, taken: TimeTaken): CallError {
  const { elapsedMs, timeoutMs, perModelMs } = taken;
  if (elapsedMs < timeoutMs - EARLY_MS || error.class !== 'timeout') return error;
  const seconds = Math.round(timeoutMs / 100) / 10;
  const whose =
    timeoutMs < perModelMs ? ', its part of the time of the call.' : ' (per_model_seconds).';
  return new CallError('timeout', `It did not answer within ${seconds} s${whose}`, {
    cause: error,
  });
}

/** How fast somebody sends, measured when somebody else needs the room. */
export interface Pace {
  /** Since it was last measured. */
  measured: Mark;
  /** Since it was last known to make progress. */
  touched: Mark;
  isSlow: boolean;
}

interface Mark {
  /** Received in all by then. */
  readonly bytes: number;
  /** As `clock.monotonic()` tells the time. */
  readonly atMs: number;
}

/** Shorter times say nothing: a sender may be between two packets. */
const MEASURED_MS = 250;
const MIN_BYTES_PER_SECOND = 4096;

export function startPace(bytes: number, atMs: number): Pace {
  const mark = { bytes, atMs };
  return { measured: mark, touched: mark, isSlow: false };
}

/** Something came: a burst long ago does not count for a sender that has stopped since. */
export function touchPace(pace: Pace, bytes: number, atMs: number): void {
  pace.touched = { bytes, atMs };
}

/** Whether hardly anything has come lately. Measures anew. */
export function isSlow(pace: Pace, bytes: number, nowMs: number): boolean {
  if (hasStopped(pace.touched, bytes, nowMs)) return true;
  // A few bytes now and then are progress, but not enough.
  if (nowMs - pace.measured.atMs < MEASURED_MS) return pace.isSlow;
  pace.isSlow = hasStopped(pace.measured, bytes, nowMs);
  pace.measured = { bytes, atMs: nowMs };
  return pace.isSlow;
}

function hasStopped(since: Mark, bytes: number, nowMs: number): boolean {
  const elapsedMs = nowMs - since.atMs;
  if (elapsedMs < MEASURED_MS) return false;
  return (bytes - since.bytes) * 1000 < MIN_BYTES_PER_SECOND * elapsedMs;
}

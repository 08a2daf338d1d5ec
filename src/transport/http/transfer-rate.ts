/** How fast a sender sends, measured when another needs its memory or connection. */
export interface TransferRate {
  /** The last measurement. */
  measured: Mark;
  /** The last known progress. */
  touched: Mark;
  isSlow: boolean;
}

interface Mark {
  /** Bytes received in total by then. */
  readonly bytes: number;
  /** Of `clock.monotonic()`. */
  readonly atMs: number;
}

/** The shortest interval that is measured: a sender may be between two packets. */
const MEASURED_MS = 250;
const MIN_BYTES_PER_SECOND = 4096;

export function startTransferRate(bytes: number, atMs: number): TransferRate {
  const mark = { bytes, atMs };
  return { measured: mark, touched: mark, isSlow: false };
}

/**
 * Records progress, so that an earlier burst does not count for a sender that has stopped since.
 */
export function touchTransferRate(rate: TransferRate, bytes: number, atMs: number): void {
  rate.touched = { bytes, atMs };
}

/**
 * Whether hardly anything was received lately. Measures again if the last measurement is old
 * enough.
 */
export function isSlow(rate: TransferRate, bytes: number, nowMs: number): boolean {
  if (hasStopped(rate.touched, bytes, nowMs)) return true;
  // A few bytes now and then are not enough.
  if (nowMs - rate.measured.atMs < MEASURED_MS) return rate.isSlow;
  rate.isSlow = hasStopped(rate.measured, bytes, nowMs);
  rate.measured = { bytes, atMs: nowMs };
  return rate.isSlow;
}

function hasStopped(since: Mark, bytes: number, nowMs: number): boolean {
  const elapsedMs = nowMs - since.atMs;
  if (elapsedMs < MEASURED_MS) return false;
  return (bytes - since.bytes) * 1000 < MIN_BYTES_PER_SECOND * elapsedMs;
}

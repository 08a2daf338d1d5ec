import type { ErrorClass } from '#core/errors/error-class.ts';

export type ClassCounts = { readonly [name in ErrorClass]?: number };

/** Calls and failures of a period. */
export interface WindowTally {
  readonly calls: number;
  readonly failures: number;
  readonly classes: ClassCounts;
}

interface Bucket extends WindowTally {
  /** The index of this tenth of a window since the clock's start. */
  readonly slot: number;
}

/** Counts of a rolling window in ten buckets. Immutable: counting returns a new one. */
export interface RollingWindow {
  readonly current: Bucket;
  /** Oldest first, at most nine. */
  readonly older: readonly Bucket[];
}

const BUCKETS = 10;
const NONE: ClassCounts = {};

export const EMPTY_WINDOW: RollingWindow = {
  current: { slot: 0, calls: 0, failures: 0, classes: NONE },
  older: [],
};

/** Adds a finished request: a success, or a failure of a class. */
export function countInWindow(
  window: RollingWindow,
  at: number,
  windowMs: number,
  failed?: ErrorClass,
): RollingWindow {
  const slot = slotOf(at, windowMs);
  const { current, older } = window;
  if (current.slot === slot) return { current: plus(current, failed), older };
  const fresh = plus({ slot, calls: 0, failures: 0, classes: NONE }, failed);
  const all = current.calls === 0 ? older : [...older, current];
  return { current: fresh, older: all.filter((bucket) => isWithin(bucket, slot)) };
}

export function tallyWindow(window: RollingWindow, at: number, windowMs: number): WindowTally {
  const slot = slotOf(at, windowMs);
  const classes: { [name in ErrorClass]?: number } = {};
  let calls = 0;
  let failures = 0;
  const add = (bucket: Bucket) => {
    if (!isWithin(bucket, slot)) return;
    calls += bucket.calls;
    failures += bucket.failures;
    if (bucket.failures === 0) return;
    for (const [name, count] of Object.entries(bucket.classes))
      classes[name as ErrorClass] = (classes[name as ErrorClass] ?? 0) + count;
  };
  for (const bucket of window.older) add(bucket);
  add(window.current);
  return { calls, failures, classes };
}

function slotOf(at: number, windowMs: number): number {
  return Math.floor((at * BUCKETS) / windowMs);
}

function isWithin(bucket: Bucket, slot: number): boolean {
  return bucket.slot > slot - BUCKETS;
}

function plus({ slot, calls, failures, classes }: Bucket, failed: ErrorClass | undefined): Bucket {
  if (failed === undefined) return { slot, calls: calls + 1, failures, classes };
  return {
    slot,
    calls: calls + 1,
    failures: failures + 1,
    classes: { ...classes, [failed]: (classes[failed] ?? 0) + 1 },
  };
}

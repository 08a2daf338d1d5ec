import type { ErrorClass } from '#core/error-class.ts';

export type ClassCounts = { readonly [name in ErrorClass]?: number };

/** What a stretch of time saw. */
export interface Tally {
  readonly calls: number;
  readonly failures: number;
  readonly classes: ClassCounts;
}

interface Bucket extends Tally {
  /** Which tenth of a window it is, counted from the clock's start. */
  readonly slot: number;
}

/** Counts of the last while, forgotten tenth by tenth. A value: counting makes another. */
export interface RollingWindow {
  readonly current: Bucket;
  /** Oldest first, and never more than nine. */
  readonly older: readonly Bucket[];
}

const BUCKETS = 10;
const NONE: ClassCounts = {};

export const EMPTY_WINDOW: RollingWindow = {
  current: { slot: 0, calls: 0, failures: 0, classes: NONE },
  older: [],
};

/** One more request that ended: well, or with a class of error. */
export function counted(
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

export function tallyOf(window: RollingWindow, at: number, windowMs: number): Tally {
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

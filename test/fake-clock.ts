import type { Clock } from '#core/time/clock.ts';

export interface FakeClock extends Clock {
  /** Moves time on, firing every timer that falls due, in order, those set on the way included. */
  advance(ms: number): void;
  /**
   * Sets `now()` forward or back, as an administrator or NTP would; no time passes and no timer
   * notices.
   */
  jump(ms: number): void;
  /** How many timers wait. */
  readonly waiting: number;
  /** Resolves when a timer waits: at once, or as soon as the code under test sets one. */
  untilWaiting(): Promise<void>;
}

interface Waiting {
  /** As `monotonic()` tells the time. */
  at: number;
  fire: () => void;
}

/** Time that moves only when told. It starts at 2025-10-10T00:05:49.591Z unless told otherwise. */
export function createFakeClock(startMs = 1_760_054_749_591): FakeClock {
  let elapsed = 0;
  let epoch = startMs;
  /** By their time, and of one time by the order in which they were set. */
  const order: Waiting[] = [];
  let watchers: (() => void)[] = [];

  function nextDue(until: number): Waiting | undefined {
    return order[0] && order[0].at <= until ? order.shift() : undefined;
  }

  /** Tests set ten thousand timers, so neither setting nor firing one looks at all of them. */
  function insert(timer: Waiting): void {
    let from = 0;
    let to = order.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((order[middle]?.at ?? 0) <= timer.at) from = middle + 1;
      else to = middle;
    }
    order.splice(from, 0, timer);
  }

  return {
    now: () => epoch + elapsed,
    monotonic: () => elapsed,
    after(ms, then) {
      const timer = { at: elapsed + Math.max(0, ms), fire: then };
      insert(timer);
      for (const resolve of watchers) resolve();
      watchers = [];
      return {
        stop() {
          const at = order.indexOf(timer);
          if (at !== -1) order.splice(at, 1);
        },
      };
    },
    advance(ms) {
      const until = elapsed + ms;
      for (let due = nextDue(until); due; due = nextDue(until)) {
        elapsed = Math.max(elapsed, due.at);
        due.fire();
      }
      elapsed = until;
    },
    jump(ms) {
      epoch += ms;
    },
    get waiting() {
      return order.length;
    },
    untilWaiting() {
      if (order.length > 0) return Promise.resolve();
      return new Promise((resolve) => watchers.push(resolve));
    },
  };
}

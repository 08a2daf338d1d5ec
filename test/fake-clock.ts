import type { Clock } from '#core/clock.ts';

export interface FakeClock extends Clock {
  /** Moves time on, firing every timer that falls due, in order, those set on the way included. */
  advance(ms: number): void;
  /** Sets `now()` forward or back, as an administrator or NTP would; no time passes and no timer notices. */
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
  let order: Waiting[] = [];
  let watchers: (() => void)[] = [];

  function nextDue(until: number): Waiting | undefined {
    let next: Waiting | undefined;
    for (const timer of order) if (timer.at <= until && (!next || timer.at < next.at)) next = timer;
    return next;
  }

  return {
    now: () => epoch + elapsed,
    monotonic: () => elapsed,
    after(ms, then) {
      const timer = { at: elapsed + Math.max(0, ms), fire: then };
      order.push(timer);
      for (const resolve of watchers) resolve();
      watchers = [];
      return { stop: () => void (order = order.filter((other) => other !== timer)) };
    },
    advance(ms) {
      const until = elapsed + ms;
      for (let due = nextDue(until); due; due = nextDue(until)) {
        const fired = due;
        order = order.filter((timer) => timer !== fired);
        elapsed = Math.max(elapsed, fired.at);
        fired.fire();
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

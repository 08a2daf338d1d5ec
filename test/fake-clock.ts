import type { Clock } from '#core/clock.ts';

export interface FakeClock extends Clock {
  /** Moves time on, firing every timer that falls due, in order, those set on the way included. */
  advance(ms: number): void;
  /** How many timers wait. */
  readonly waiting: number;
  /** Resolves when a timer waits: at once, or as soon as the code under test sets one. */
  untilWaiting(): Promise<void>;
}

interface Waiting {
  at: number;
  fire: () => void;
}

/** Time that moves only when told. It starts at 2025-10-10T00:05:49.591Z unless told otherwise. */
export function createFakeClock(startMs = 1_760_054_749_591): FakeClock {
  let now = startMs;
  let order: Waiting[] = [];
  let watchers: (() => void)[] = [];

  function nextDue(until: number): Waiting | undefined {
    let next: Waiting | undefined;
    for (const timer of order) if (timer.at <= until && (!next || timer.at < next.at)) next = timer;
    return next;
  }

  return {
    now: () => now,
    monotonic: () => now - startMs,
    after(ms, then) {
      const timer = { at: now + Math.max(0, ms), fire: then };
      order.push(timer);
      for (const resolve of watchers) resolve();
      watchers = [];
      return { stop: () => void (order = order.filter((other) => other !== timer)) };
    },
    advance(ms) {
      const until = now + ms;
      for (let due = nextDue(until); due; due = nextDue(until)) {
        const fired = due;
        order = order.filter((timer) => timer !== fired);
        now = Math.max(now, fired.at);
        fired.fire();
      }
      now = until;
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

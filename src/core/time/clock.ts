import type { AbortSignalLike } from '../net/abort.ts';
/**
 * The source of time: the machine's in app/system.ts, simulated in tests. No other code reads the
 * time.
 */
export interface Clock {
  /**
   * Wall clock in milliseconds since the epoch. It may jump both ways, so never use it for
   * durations.
   */
  now(): number;
  /** Monotonic milliseconds from an arbitrary start, for durations and deadlines. */
  monotonic(): number;
  /** Calls `then` once, `ms` from now. A waiting timer does not keep the process alive. */
  after(ms: number, then: () => void): Timer;
}

export interface Timer {
  stop(): void;
}

/** Resolves after `ms`, or when `signal` aborts; the caller checks the signal. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignalLike): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      timer.stop();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/**
 * Sleeps for at least `ms`. A timer may fire a moment early, and a breaker with the same cool-down
 * would then still be open.
 */
export async function sleepWhole(clock: Clock, ms: number, signal: AbortSignalLike): Promise<void> {
  const until = clock.monotonic() + ms;
  for (let left = ms; left > 0 && !signal.aborted; left = until - clock.monotonic()) {
    await sleep(clock, Math.ceil(left), signal);
  }
}

/** Repeats `work`, waiting `ms` after each run, until stopped. `work` must not throw. */
export function every(clock: Clock, ms: number, work: () => void | Promise<void>): Timer {
  let stopped = false;
  let timer: Timer;
  const run = async () => {
    await work();
    if (!stopped) timer = clock.after(ms, () => void run());
  };
  timer = clock.after(ms, () => void run());
  return {
    stop() {
      stopped = true;
      timer.stop();
    },
  };
}

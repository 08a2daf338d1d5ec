import type { Cancel } from './http.ts';
/** Time as the program sees it: the machine's in app/system.ts, simulated in tests. Nothing else knows what time it is. */
export interface Clock {
  /** Milliseconds since the epoch, as the machine is set; may jump both ways, so never for durations. */
  now(): number;
  /** Milliseconds from an arbitrary start that neither jump nor run backwards; for durations and deadlines. */
  monotonic(): number;
  /** Calls `then` once, `ms` from now. A waiting timer does not keep the process alive. */
  after(ms: number, then: () => void): Timer;
}

export interface Timer {
  stop(): void;
}

/** Resolves after `ms`, or at once when `signal` aborts; the caller looks at the signal. */
export function sleep(clock: Clock, ms: number, signal?: Cancel): Promise<void> {
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

/** The same for all of the time: a timer may come a moment early, and then a breaker that rests for just as long would refuse. */
export async function sleepWhole(clock: Clock, ms: number, signal: Cancel): Promise<void> {
  const until = clock.monotonic() + ms;
  for (let left = ms; left > 0 && !signal.aborted; left = until - clock.monotonic()) {
    await sleep(clock, Math.ceil(left), signal);
  }
}

/** Calls `work` again and again, `ms` after it last ended, until stopped. Work that throws is the caller's bug. */
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

import type { Clock } from '#core/time/clock.ts';
import { createRateLimitedLog } from '#core/telemetry/rate-limited-log.ts';
import type { Log, Metrics } from '#core/telemetry/telemetry.ts';

/** A time in which the event loop ran nothing else, so that all clients waited. */
export interface Stall {
  readonly at: string;
  readonly ms: number;
  /** `waited`: the process used little CPU time, as the machine or a disk was slow. */
  readonly cause: 'worked' | 'waited';
  /** CPU time of the process meanwhile. */
  readonly cpuMs: number;
  /** The tools of calls that ran, or had just ended. */
  readonly tools: readonly string[];
}

export interface StallReport {
  readonly count: number;
  readonly longest?: Stall;
}

export const STALLS_METHOD = 'exai/stalls';

/** Often enough to measure stalls within 25 ms; 20 turns a second are about 1 ms of CPU time. */
const TICK_MS = 50;
/** Shorter ones are not noticed by people. */
export const STALL_MS = 100;
const LOGGED_PER_MINUTE = 10;

export interface LoopWatchOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** CPU time of the process so far. */
  readonly cpuMs: () => number;
  /** See `Stall.tools`. */
  readonly tools: () => readonly string[];
}

export interface LoopWatch {
  report(): StallReport;
  stop(): void;
}

/** Counts and logs the times in which the event loop was blocked. */
export function watchLoop({ clock, log, metrics, cpuMs, tools }: LoopWatchOptions): LoopWatch {
  const warn = createRateLimitedLog(log, clock, LOGGED_PER_MINUTE);
  const stalls = metrics.counter(
    'exai_event_loop_stalls_total',
    `Times in which the event loop was blocked for more than ${STALL_MS} ms; "waited" with little CPU time.`,
  );
  let report: StallReport = { count: 0 };
  metrics.gauge(
    'exai_event_loop_longest_stall_seconds',
    'The longest time in which the event loop was blocked, since the start.',
    () => (report.longest?.ms ?? 0) / 1000,
  );
  let lastAt = clock.monotonic();
  let lastCpuMs = cpuMs();
  let timer = clock.after(TICK_MS, tick);

  function tick(): void {
    const now = clock.monotonic();
    const cpu = cpuMs();
    // The blocked time began somewhere in the last interval.
    const ms = Math.round(now - lastAt - TICK_MS / 2);
    if (ms > STALL_MS) note({ ms, cpuMs: Math.round(cpu - lastCpuMs) });
    lastAt = now;
    lastCpuMs = cpu;
    timer = clock.after(TICK_MS, tick);
  }

  function note(times: Pick<Stall, 'ms' | 'cpuMs'>): void {
    const cause = times.cpuMs > times.ms / 2 ? 'worked' : 'waited';
    const at = new Date(clock.now()).toISOString();
    const stall: Stall = { at, ...times, cause, tools: tools() };
    const { count, longest } = report;
    report = { count: count + 1, longest: longest && longest.ms >= stall.ms ? longest : stall };
    stalls.add({ cause });
    warn('event_loop_stalled', { ms: stall.ms, cause, cpu_ms: stall.cpuMs, tools: stall.tools });
  }

  return { report: () => report, stop: () => timer.stop() };
}

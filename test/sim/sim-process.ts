import type { Clock, Timer } from '#core/time/clock.ts';
import type { DaemonFreeze } from './daemon-freeze.ts';
import type { Simulation } from './simulation.ts';

/** One process: what it set in motion ends with it. */
export interface SimProcess {
  readonly isAlive: boolean;
  end(): void;
  after(ms: number, act: () => void): Timer;
}

export function createSimProcess(simulation: Simulation, daemonFreeze?: DaemonFreeze): SimProcess {
  let isAlive = true;
  return {
    get isAlive() {
      return isAlive;
    },
    end: () => void (isAlive = false),
    after(ms, act) {
      let isStopped = false;
      const due = () => isAlive && !isStopped && act();
      const timer = simulation.after(ms, () => (daemonFreeze ? daemonFreeze.run(due) : due()));
      return {
        stop() {
          isStopped = true;
          timer.stop();
        },
      };
    },
  };
}

export interface SimClock extends Clock {
  /** Timers that were neither stopped nor have fired. */
  readonly waiting: number;
}

export const EPOCH_MS = 1_760_054_749_591;

// The log counts what it leaves out by the minute; no call waits for that.
const LOG_WINDOW_MS = 60_000;

export function createSimClock(
  simulation: Simulation,
  life: SimProcess,
  /** How far its wall clock is off. */
  skewMs: () => number = () => 0,
): SimClock {
  let waiting = 0;
  return {
    now: () => EPOCH_MS + simulation.now + skewMs(),
    monotonic: () => simulation.now,
    after(ms, then) {
      if (ms === LOG_WINDOW_MS) return { stop: () => undefined };
      let isWaiting = true;
      const done = () => {
        if (isWaiting) waiting -= 1;
        isWaiting = false;
      };
      waiting += 1;
      const timer = life.after(ms, () => {
        done();
        then();
      });
      return {
        stop() {
          done();
          timer.stop();
        },
      };
    },
    get waiting() {
      return waiting;
    },
  };
}

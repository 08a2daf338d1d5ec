import type { Simulation } from './simulation.ts';

/**
 * Whether the daemon's process is held, as by SIGSTOP: it takes bytes and does nothing until it
 * goes on.
 */
export interface DaemonFreeze {
  readonly isFrozen: boolean;
  /** The last moment at which it was. */
  readonly lastFrozenAt: number;
  /** How long it was in all. */
  readonly frozenMs: number;
  freeze(): void;
  /** What has come meanwhile happens now, in its order, before anything else. */
  thaw(): void;
  /** Something happens to the daemon, or in it: at once, or when it goes on. */
  run(act: () => void): void;
}

export function createDaemonFreeze(simulation: Simulation): DaemonFreeze {
  const missed: (() => void)[] = [];
  let state: 'fluid' | 'frozen' | 'thawing' = 'fluid';
  let since = 0;
  let lastFrozenAt = Number.NEGATIVE_INFINITY;
  let pastMs = 0;

  function catchUp(): void {
    missed.shift()?.();
    if (missed.length > 0) return void simulation.after(0, catchUp);
    state = 'fluid';
    lastFrozenAt = simulation.now;
    pastMs += simulation.now - since;
  }

  return {
    get isFrozen() {
      return state !== 'fluid';
    },
    get lastFrozenAt() {
      return state === 'fluid' ? lastFrozenAt : simulation.now;
    },
    get frozenMs() {
      return pastMs + (state === 'fluid' ? 0 : simulation.now - since);
    },
    freeze() {
      if (state !== 'fluid') return;
      state = 'frozen';
      since = simulation.now;
    },
    thaw() {
      if (state !== 'frozen') return;
      state = 'thawing';
      catchUp();
    },
    run(act) {
      if (state === 'fluid') act();
      else missed.push(act);
    },
  };
}

/** Violates after so long, in which the daemon was never held. */
export function patiently(
  simulation: Simulation,
  daemonFreeze: DaemonFreeze,
  ms: number,
  act: () => void,
): { stop(): void } {
  let timer = simulation.after(ms, look);
  function look(): void {
    const leftMs = ms - (simulation.now - daemonFreeze.lastFrozenAt);
    if (leftMs <= 0) act();
    else timer = simulation.after(Math.max(leftMs, 100), look);
  }
  return { stop: () => timer.stop() };
}

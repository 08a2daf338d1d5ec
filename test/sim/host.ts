import type { SimDaemon } from './daemon.ts';
import type { Disk } from './disk.ts';
import type { DaemonFreeze } from './daemon-freeze.ts';
import type { JobBook } from './job-book.ts';
import type { SimClock } from './sim-process.ts';
import type { Simulation } from './simulation.ts';

/** Where one daemon runs after another. */
export interface Host {
  readonly daemonFreeze: DaemonFreeze;
  /** The one that runs, if one does. */
  readonly daemon: SimDaemon | undefined;
  /** How many have begun. */
  readonly lives: number;
  /** Whether one stops at the moment. */
  readonly isChanging: boolean;
  crash(downMs: number): void;
  freeze(ms: number, how: 'thaw' | 'kill'): void;
  /** It stops in good order, and another begins. */
  drain(downMs: number): void;
  /** It stops for good. */
  stop(): Promise<void>;
}

export interface HostOptions {
  readonly simulation: Simulation;
  readonly disk: Disk;
  readonly daemonFreeze: DaemonFreeze;
  readonly jobBook: JobBook;
  /** Begins a daemon, the `life`-th here; `failed` tells that it could not begin its work. */
  readonly start: (life: number, failed: () => void) => SimDaemon;
  /** It is over with it, and with what it knew. */
  readonly ended: (daemon: SimDaemon) => void;
}

/** How long it takes until somebody tries again to start what did not. */
const AGAIN_MS = 700;

export function createHost({
  simulation,
  disk,
  daemonFreeze,
  jobBook,
  start,
  ended,
}: HostOptions): Host {
  let lives = 0;
  let isChanging = false;
  let isOver = false;
  let daemon: SimDaemon | undefined;

  function begin(): void {
    lives += 1;
    const life = lives;
    daemon = start(life, () => life === lives && crash(AGAIN_MS));
  }

  function end(leaving: SimDaemon): void {
    ended(leaving);
    daemon = undefined;
  }

  async function stop(leaving: SimDaemon): Promise<void> {
    isChanging = true;
    await leaving.stop();
    for (const reqId of leaving.watch.calls.keys())
      if (!disk.rows.has(reqId) && !leaving.store.refused.has(reqId))
        simulation.violate('audit', `${reqId} was started and has no audit row`);
    checkTimers({ chats: leaving.gatewayClock }, simulation);
    // Work that does not heed its end keeps its place a little longer, and a record that is not stored is tried again.
    const isTrying = disk.wasUnwellAt >= simulation.now;
    if (!leaving.watch.isBusy && !isTrying) checkTimers({ calls: leaving.clock }, simulation);
    end(leaving);
    leaving.crash();
    isChanging = false;
  }

  function crash(downMs: number): void {
    if (!daemon) return;
    jobBook.killed(daemon.owner);
    daemon.crash();
    end(daemon);
    isChanging = false;
    daemonFreeze.thaw();
    restart(downMs);
  }

  function restart(afterMs: number): void {
    simulation.after(afterMs, () => {
      if (isOver) return;
      simulation.tell('simulation', () => 'the daemon is back');
      begin();
    });
  }

  begin();
  return {
    daemonFreeze,
    get daemon() {
      return daemon;
    },
    get lives() {
      return lives;
    },
    get isChanging() {
      return isChanging;
    },
    crash,
    freeze(ms, how) {
      if (!daemon || isChanging || daemonFreeze.isFrozen) return;
      const held = daemon;
      daemonFreeze.freeze();
      simulation.after(ms, () => {
        // It may have been killed meanwhile.
        if (daemon !== held) return;
        if (how === 'kill') crash(0);
        else daemonFreeze.thaw();
      });
    },
    drain(downMs) {
      if (!daemon || isChanging || daemonFreeze.isFrozen) return;
      void stop(daemon).then(() => restart(downMs));
    },
    stop() {
      isOver = true;
      return daemon ? stop(daemon) : Promise.resolve();
    },
  };
}

/** It has stopped: nothing may wait for anything. */
export function checkTimers(
  clocks: Readonly<Record<string, SimClock>>,
  simulation: Simulation,
): void {
  for (const [what, { waiting }] of Object.entries(clocks))
    if (waiting > 0)
      simulation.violate('timers', `${waiting} timers of ${what} wait after the end`);
}

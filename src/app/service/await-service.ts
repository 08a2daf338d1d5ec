import { CallError } from '#core/call-error.ts';
import { sleep } from '#core/clock.ts';
import { deadlineIn, remainingMs } from '#core/deadline.ts';
import type { DaemonRecord } from '../daemon-file.ts';
import { daemonState } from '../daemon-state.ts';
import type { ServiceTrouble } from './service-trouble.ts';
import type { ServiceWorld } from './service-world.ts';

const START_WITHIN_MS = 20_000;
const PAUSE_MS = 100;

/** Service managers say that they started a program, not that it came up: the daemon itself says that. */
export async function awaitService(
  world: ServiceWorld,
): Promise<{ daemon: DaemonRecord } | { trouble: ServiceTrouble }> {
  const { manager, home, clock } = world;
  const end = deadlineIn(clock, START_WITHIN_MS);
  for (;;) {
    const daemon = daemonState(home);
    const state = await manager.state();
    const isRunning = daemon.is === 'running';
    if (isRunning && daemon.record.pid === state.pid) return { daemon: daemon.record };
    const isOver = remainingMs(end, clock) === 0;
    if (state.is === 'failed' || isOver) {
      if (isRunning) return { trouble: overtaken(world, daemon.record) };
      return { trouble: notStarted(world, state.detail) };
    }
    await sleep(clock, PAUSE_MS);
  }
}

function overtaken({ manager }: ServiceWorld, { pid, url }: DaemonRecord): ServiceTrouble {
  const words = `A client was faster and started a daemon at ${url} (pid ${pid}), which has the home now.`;
  return {
    error: new CallError('conflict', words),
    commands: ['exai stop', ...manager.installCommands('now').slice(-1)],
  };
}

function notStarted({ manager }: ServiceWorld, detail: string): ServiceTrouble {
  const words = `The service is installed, but its daemon did not come up (${detail}).`;
  return { error: new CallError('tool_error', words), commands: [manager.logCommand] };
}

import { CallError } from '#core/errors/call-error.ts';
import { sleep } from '#core/time/clock.ts';
import { deadlineIn, remainingMs } from '#core/time/deadline.ts';
import type { DaemonRecord } from '../daemon/daemon-file.ts';
import { daemonState } from '../daemon/daemon-state.ts';
import { stopDaemon } from '../daemon/stop-daemon.ts';
import type { ServiceTrouble } from './run-program.ts';
import {
  copyServiceFile,
  readServiceFile,
  refuseServiceFile,
  writeServiceFile,
} from './service-file.ts';
import type { ServiceManager } from './service-manager.ts';
import type { ServiceContext } from './service-context.ts';

interface InstallOptions {
  readonly force: 'asked' | 'never';
  readonly start: 'now' | 'at_login';
}

export interface Installed {
  readonly file: string;
  readonly change: 'none' | 'written' | 'updated' | 'replaced';
  /** The path of the copy of the replaced file. */
  readonly kept?: string;
  readonly enabled: boolean;
  /** The previous daemon of the home, which was stopped. */
  readonly stopped?: DaemonRecord;
  /** The daemon that the service runs now. */
  readonly daemon?: DaemonRecord;
  readonly trouble?: ServiceTrouble;
}

type Written = Pick<Installed, 'file' | 'change' | 'kept'>;
type Started = Pick<Installed, 'stopped' | 'daemon' | 'trouble'>;

/**
 * Writes the service file and makes the system start it at login and now. Steps that fail are
 * returned with the commands that do them.
 */
export async function installService(
  context: ServiceContext,
  { force, start }: InstallOptions,
): Promise<Installed> {
  const { manager } = context;
  const written = write(context, force);
  try {
    await manager.refresh();
    if (start === 'at_login') {
      await manager.enable('at_login');
      return { ...written, enabled: true };
    }
    return { ...written, enabled: true, ...(await startService(context, written.change)) };
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'internal') throw error;
    const trouble = { error, commands: manager.installCommands(start) };
    return { ...written, enabled: await isEnabled(manager), trouble };
  }
}

async function isEnabled(manager: ServiceManager): Promise<boolean> {
  try {
    return (await manager.state()).enabled;
  } catch {
    // An unreachable manager cannot start it; the reason was reported already.
    return false;
  }
}

function write({ manager, home }: ServiceContext, force: InstallOptions['force']): Written {
  const { file, text } = manager;
  const found = readServiceFile(file, text, home.root);
  refuseServiceFile(found, file, { verb: 'install', force });
  if (found.is === 'current') return { file, change: 'none' };
  const isOthers = !['absent', 'outdated'].includes(found.is);
  const kept = isOthers ? { kept: copyServiceFile(file) } : {};
  writeServiceFile(file, text);
  const change = found.is === 'absent' ? 'written' : isOthers ? 'replaced' : 'updated';
  return { file, change, ...kept };
}

/**
 * Starts the service. Only one daemon can have the home, so a daemon started by a client, a user or
 * an older service is stopped first.
 */
async function startService(context: ServiceContext, change: Written['change']): Promise<Started> {
  const { manager, home, clock, token, onWait } = context;
  const before = await manager.state();
  const daemon = daemonState(home);
  const isService = daemon.is === 'running' && daemon.record.pid === before.pid;
  if (isService && change === 'none') {
    await manager.enable('at_login');
    return { daemon: daemon.record };
  }
  const stopped = await stopDaemon(home, clock, token, onWait);
  // It belongs to another home, or the system has not noticed that it ended.
  if (change !== 'none' && before.pid !== undefined) await manager.disable();
  await manager.enable('now');
  return { ...(stopped && !isService && { stopped }), ...(await awaitService(context)) };
}

const START_WITHIN_MS = 20_000;
const PAUSE_MS = 100;

/**
 * Waits for the daemon itself: service managers report that they started a program, not that it is
 * ready.
 */
async function awaitService(
  context: ServiceContext,
): Promise<{ daemon: DaemonRecord } | { trouble: ServiceTrouble }> {
  const { manager, home, clock } = context;
  const end = deadlineIn(clock, START_WITHIN_MS);
  for (;;) {
    const daemon = daemonState(home);
    const state = await manager.state();
    const isRunning = daemon.is === 'running';
    if (isRunning && daemon.record.pid === state.pid) return { daemon: daemon.record };
    const isOver = remainingMs(end, clock) === 0;
    if (state.is === 'failed' || isOver) {
      if (isRunning) return { trouble: overtaken(context, daemon.record) };
      return { trouble: notStarted(context, state.detail) };
    }
    await sleep(clock, PAUSE_MS);
  }
}

function overtaken({ manager }: ServiceContext, { pid, url }: DaemonRecord): ServiceTrouble {
  const message = `A client was faster and started a daemon at ${url} (pid ${pid}), which has the home now.`;
  return {
    error: new CallError('conflict', message),
    commands: ['exai stop', ...manager.installCommands('now').slice(-1)],
  };
}

function notStarted({ manager }: ServiceContext, detail: string): ServiceTrouble {
  const message = `The service is installed, but its daemon did not come up (${detail}).`;
  return { error: new CallError('tool_error', message), commands: [manager.logCommand] };
}

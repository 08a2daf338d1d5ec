import { CallError } from '#core/call-error.ts';
import type { DaemonRecord } from '../daemon-file.ts';
import { daemonState } from '../daemon-state.ts';
import { stopDaemon } from '../stop-daemon.ts';
import { awaitService } from './await-service.ts';
import { refuseServiceFile } from './refuse-service-file.ts';
import { keepServiceFile, readServiceFile, writeServiceFile } from './service-file.ts';
import type { ServiceManager } from './service-manager.ts';
import type { ServiceTrouble } from './service-trouble.ts';
import type { ServiceWorld } from './service-world.ts';

export interface InstallOptions {
  readonly force: 'asked' | 'never';
  readonly start: 'now' | 'at_login';
}

export interface Installed {
  readonly file: string;
  readonly change: 'none' | 'written' | 'updated' | 'replaced';
  /** Where a copy of what was replaced is. */
  readonly kept?: string;
  readonly enabled: boolean;
  /** The daemon that had the home and made room. */
  readonly stopped?: DaemonRecord;
  /** The daemon that the service runs now. */
  readonly daemon?: DaemonRecord;
  readonly trouble?: ServiceTrouble;
}

type Written = Pick<Installed, 'file' | 'change' | 'kept'>;
type Started = Pick<Installed, 'stopped' | 'daemon' | 'trouble'>;

/** Writes the service, and has the system start it at login and now. What it cannot bring about, it says how to. */
export async function installService(
  world: ServiceWorld,
  { force, start }: InstallOptions,
): Promise<Installed> {
  const { manager } = world;
  const written = write(world, force);
  try {
    await manager.refresh();
    if (start === 'at_login') {
      await manager.enable('at_login');
      return { ...written, enabled: true };
    }
    return { ...written, enabled: true, ...(await startService(world, written.change)) };
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
    // Who cannot be asked starts nothing either; why was told already.
    return false;
  }
}

function write({ manager, home }: ServiceWorld, force: InstallOptions['force']): Written {
  const { file, text } = manager;
  const found = readServiceFile(file, text, home.root);
  refuseServiceFile(found, file, { verb: 'install', force });
  if (found.is === 'current') return { file, change: 'none' };
  const isOthers = !['absent', 'outdated'].includes(found.is);
  const kept = isOthers ? { kept: keepServiceFile(file) } : {};
  writeServiceFile(file, text);
  const change = found.is === 'absent' ? 'written' : isOthers ? 'replaced' : 'updated';
  return { file, change, ...kept };
}

/** One daemon has the home: one that a client or a person started makes room, and so does one of an older service. */
async function startService(world: ServiceWorld, change: Written['change']): Promise<Started> {
  const { manager, home, clock, token, tell } = world;
  const before = await manager.state();
  const daemon = daemonState(home);
  const isService = daemon.is === 'running' && daemon.record.pid === before.pid;
  if (isService && change === 'none') {
    await manager.enable('at_login');
    return { daemon: daemon.record };
  }
  const stopped = await stopDaemon(home, clock, token, tell);
  // Of another home's daemon, or one that the system has not noticed is gone.
  if (change !== 'none' && before.pid !== undefined) await manager.disable();
  await manager.enable('now');
  return { ...(stopped && !isService && { stopped }), ...(await awaitService(world)) };
}

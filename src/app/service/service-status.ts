import { CallError } from '#core/errors/call-error.ts';
import { daemonState, type DaemonState } from '../daemon/daemon-state.ts';
import { readServiceFile, type ServiceFile } from './service-file.ts';
import type { ServiceManager, ServiceState } from './service-manager.ts';
import type { ServiceContext } from './service-context.ts';

export interface ServiceStatus {
  readonly manager: ServiceManager['name'];
  readonly file: string;
  readonly found: ServiceFile;
  /** The system's state, or the error of reading it; undefined if our service is not installed. */
  readonly state?: ServiceState | CallError;
  readonly daemon: DaemonState;
  /** Whether the daemon of the home is the one that the service runs. */
  readonly runs: 'as_service' | 'otherwise' | 'not';
}

export async function serviceStatus({ manager, home }: ServiceContext): Promise<ServiceStatus> {
  const { name, file, text } = manager;
  const found = readServiceFile(file, text, home.root);
  const isOurs = 'home' in found;
  const state = isOurs ? await stateOf(manager) : undefined;
  const daemon = daemonState(home);
  const pid = state instanceof CallError ? undefined : state?.pid;
  const isService = daemon.is === 'running' && daemon.record.pid === pid;
  return {
    manager: name,
    file,
    found,
    ...(state && { state }),
    daemon,
    runs: isService ? 'as_service' : daemon.is === 'running' ? 'otherwise' : 'not',
  };
}

async function stateOf(manager: ServiceManager): Promise<ServiceState | CallError> {
  try {
    return await manager.state();
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'internal') throw error;
    return error;
  }
}

import { displayAddress } from '#app/daemon/daemon-file.ts';
import { createServiceContext } from '#app/service/service-context.ts';
import type { ServiceFile } from '#app/service/service-file.ts';
import { serviceStatus, type ServiceStatus } from '#app/service/service-status.ts';
import { systemClock } from '#app/system.ts';
import { CallError } from '#core/errors/call-error.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { defineCommand } from '../command.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson, type Io } from '../io.ts';

const NOT_RUNNING = ERROR_POLICY.not_found.exit;

const FILES: Record<ServiceFile['is'], string> = {
  absent: 'no; exai service install does it',
  current: 'yes',
  outdated: 'yes, but for another version or place of EX-AI; exai service install mends it',
  of_another_home: 'yes, but for another home',
  edited: 'yes, with changes of yours',
  foreign: 'no; a file that EX-AI did not write is in its place',
  no_file: 'no; a link or a folder is in its place',
};

export const command = defineCommand({
  name: 'service status',
  summary: 'Show the state of the login service',
  about: `Exits with 0 when the daemon runs as a service and with ${NOT_RUNNING} when it does not.`,
  async run({ options }, io) {
    const world = createServiceContext({
      env: io.env,
      clock: systemClock,
      token: '',
      onWait: () => undefined,
    });
    const status = await serviceStatus(world);
    if (options.json) printJson(io, document(status, world.home.root));
    else io.stdout.write(formatColumns(rows(status, world.home.root, io), ''));
    return status.runs === 'as_service' ? 0 : NOT_RUNNING;
  },
});

function document({ manager, file, found, state, daemon, runs }: ServiceStatus, home: string) {
  const isKnown = state !== undefined && !(state instanceof CallError);
  return {
    installed: 'home' in found,
    ...(isKnown && { enabled: state.enabled, state: state.is, detail: state.detail }),
    running: runs === 'as_service',
    manager,
    file,
    fileIs: found.is,
    home,
    ...('home' in found && { serviceHome: found.home }),
    ...(daemon.is === 'running' && { daemon: daemon.record }),
    ...(state instanceof CallError && { error: state }),
  };
}

function rows(status: ServiceStatus, home: string, { paint }: Io): string[][] {
  const { manager, file, found, state } = status;
  const isKnown = state !== undefined && !(state instanceof CallError);
  return [
    ['installed', FILES[found.is]],
    ...(isKnown ? [['enabled', state.enabled ? 'yes' : 'no']] : []),
    ['running', running(status, paint)],
    ...(isKnown ? [[manager, state.detail]] : []),
    ...(state instanceof CallError ? [[manager, `cannot be asked: ${state.message}`]] : []),
    ['file', file],
    ['home', 'home' in found ? found.home : home],
  ];
}

function running({ runs, daemon }: ServiceStatus, paint: Io['paint']): string {
  if (daemon.is !== 'running') return daemon.is === 'absent' ? 'no' : 'just starting or stopping';
  const place = `at ${displayAddress(daemon.record)} (pid ${daemon.record.pid})`;
  if (runs === 'as_service') return `${paint('green', 'yes')}, ${place}`;
  return `no; a daemon that was started otherwise runs ${place}`;
}

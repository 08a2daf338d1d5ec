import type { Environment } from '#config/environment.ts';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix } from '#core/messages/fixes.ts';
import { createLaunchd } from './launchd.ts';
import type { RunProgram } from './run-program.ts';
import type { ServiceManager } from './service-manager.ts';
import type { ServiceSpec } from './service-spec.ts';
import { createSystemd } from './systemd.ts';

export interface Machine {
  readonly platform: string;
  readonly uid: number;
  readonly env: Environment;
  readonly run: RunProgram;
}

/** Clients start a missing daemon themselves, so a service is optional. */
const WITHOUT = 'Nothing is needed: clients start the daemon when they need it.';

export function findServiceManager(spec: ServiceSpec, machine: Machine): ServiceManager {
  const { platform, uid, env, run } = machine;
  if (platform === 'linux') return createSystemd(spec, env, run);
  if (platform === 'darwin') return createLaunchd(spec, env, run, uid);
  const isWindows = platform === 'win32';
  throw new CallError(
    'not_configured',
    `EX-AI installs no service on ${isWindows ? 'Windows' : platform}.`,
    {
      fixes: [
        WITHOUT,
        isWindows
          ? commandFix(
              'schtasks /Create /TN EX-AI /SC ONLOGON /TR "cmd /c exai serve"',
              'start it at login',
            )
          : commandFix('exai serve', 'have your system start it at login'),
      ],
    },
  );
}

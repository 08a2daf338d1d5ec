import { isAbsolute, join } from 'node:path';
import { variable, type Environment } from '#config/environment.ts';
import { userFolder } from '#config/home.ts';
import type { Ran, RunProgram } from './run-program.ts';
import type { ServiceManager, ServiceState } from './service-manager.ts';
import type { ServiceSpec } from './service-spec.ts';
import { UNIT, writeUnit } from './systemd-unit.ts';
import { toldFailure } from './told-failure.ts';

const SHOWN = ['LoadState', 'UnitFileState', 'ActiveState', 'SubState', 'MainPID', 'Result'];

const STATES: Readonly<Record<string, ServiceState['is']>> = {
  active: 'running',
  reloading: 'running',
  activating: 'starting',
  deactivating: 'stopped',
  inactive: 'stopped',
  failed: 'failed',
};

export function createSystemd(
  spec: ServiceSpec,
  env: Environment,
  run: RunProgram,
): ServiceManager {
  const folder = join(configFolder(env), 'systemd', 'user');
  const systemctl = async (args: readonly string[], withinMs?: number): Promise<Ran> => {
    const ran = await run('systemctl', ['--user', ...args], withinMs);
    if (ran.code !== 0) throw toldFailure(`systemctl --user ${args[0] ?? ''}`, ran);
    return ran;
  };
  const state = async () => {
    const { stdout } = await systemctl(['show', UNIT, `--property=${SHOWN.join(',')}`]);
    return readState(stdout);
  };
  return {
    name: 'systemd',
    file: join(folder, UNIT),
    text: writeUnit(spec),
    installCommands: (start) => [
      'systemctl --user daemon-reload',
      `systemctl --user enable ${start === 'now' ? '--now ' : ''}${UNIT}`,
    ],
    removeCommands: ['systemctl --user daemon-reload'],
    logCommand: `journalctl --user -u ${UNIT} -n 20`,
    links: [join(folder, 'default.target.wants', UNIT)],
    async refresh() {
      await systemctl(['daemon-reload']);
    },
    async enable(start) {
      // One that failed too often is refused a start until that is forgotten.
      if (start === 'now' && (await state()).is === 'failed')
        await systemctl(['reset-failed', UNIT]);
      await systemctl(['enable', ...(start === 'now' ? ['--now'] : []), UNIT]);
    },
    async disable() {
      // It waits for the daemon, which finishes its calls.
      await systemctl(['disable', '--now', UNIT], (spec.stopWithinS + 60) * 1000);
    },
    state,
  };
}

/** Of the lines `Name=value` that `systemctl show` prints. */
export function readState(shown: string): ServiceState {
  const facts = new Map(
    shown.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
    }),
  );
  const active = facts.get('ActiveState') ?? 'inactive';
  const pid = Number(facts.get('MainPID'));
  const words = [active, facts.get('SubState'), failure(facts.get('Result'))];
  return {
    enabled: facts.get('UnitFileState') === 'enabled',
    is: (Object.hasOwn(STATES, active) ? STATES[active] : undefined) ?? 'stopped',
    ...(Number.isSafeInteger(pid) && pid > 0 && { pid }),
    detail: words.filter((word) => word !== undefined && word !== '').join(', '),
  };
}

function failure(result: string | undefined): string | undefined {
  return result === 'success' ? undefined : result;
}

/** A relative one is none, as its specification has it. */
function configFolder(env: Environment): string {
  const told = variable(env, 'XDG_CONFIG_HOME');
  return told !== undefined && isAbsolute(told) ? told : join(userFolder(env), '.config');
}

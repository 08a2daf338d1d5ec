import { isAbsolute, join } from 'node:path';
import { variable, type Environment } from '#config/environment.ts';
import { userFolder } from '#config/home/home.ts';
import { ERROR_POLICY, type ErrorClass } from '#core/errors/error-class.ts';
import { programFailure, type ProgramRun, type RunProgram } from './run-program.ts';
import type { ServiceManager, ServiceState } from './service-manager.ts';
import { markNotes, seal } from './service-file.ts';
import type { ServiceSpec } from './service-spec.ts';

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
  const systemctl = async (args: readonly string[], withinMs?: number): Promise<ProgramRun> => {
    const ran = await run('systemctl', ['--user', ...args], withinMs);
    if (ran.code !== 0) throw programFailure(`systemctl --user ${args[0] ?? ''}`, ran);
    return ran;
  };
  const state = async () => {
    const { stdout } = await systemctl(['show', UNIT, `--property=${SHOWN.join(',')}`]);
    return readSystemdState(stdout);
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
      // After too many failures a start is refused until the failures are reset.
      if (start === 'now' && (await state()).is === 'failed')
        await systemctl(['reset-failed', UNIT]);
      await systemctl(['enable', ...(start === 'now' ? ['--now'] : []), UNIT]);
    },
    async disable() {
      // Waits for the daemon, which finishes its calls.
      await systemctl(['disable', '--now', UNIT], (spec.stopWithinS + 60) * 1000);
    },
    state,
  };
}

/** Parses the `Name=value` lines of `systemctl show`. */
function readSystemdState(shown: string): ServiceState {
  const facts = new Map(
    shown.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
    }),
  );
  const active = facts.get('ActiveState') ?? 'inactive';
  const pid = Number(facts.get('MainPID'));
  const states = [active, facts.get('SubState'), failure(facts.get('Result'))];
  return {
    enabled: facts.get('UnitFileState') === 'enabled',
    is: (Object.hasOwn(STATES, active) ? STATES[active] : undefined) ?? 'stopped',
    ...(Number.isSafeInteger(pid) && pid > 0 && { pid }),
    detail: states.filter((state) => state !== undefined && state !== '').join(', '),
  };
}

function failure(result: string | undefined): string | undefined {
  return result === 'success' ? undefined : result;
}

/** The XDG specification says to ignore a relative path. */
function configFolder(env: Environment): string {
  const configured = variable(env, 'XDG_CONFIG_HOME');
  return configured !== undefined && isAbsolute(configured)
    ? configured
    : join(userFolder(env), '.config');
}

const UNIT = 'exai.service';

/**
 * Failures that a restart would not fix. `conflict` is a daemon on this home that a client started:
 * it serves all clients as well, so restarting the service beside it would be useless.
 */
const FINAL: readonly ErrorClass[] = [
  'bad_request',
  'validation',
  'permission',
  'conflict',
  'not_configured',
];

/** Renders the user's unit. */
export function writeUnit({ program, home, homeIs, stopWithinS }: ServiceSpec): string {
  const lines = [
    '# Written by `exai service install`, which writes over changes made here with --force alone.',
    ...markNotes(home).map((note) => `# ${note}`),
    '[Unit]',
    'Description=EX-AI, one local endpoint for AI clients',
    'StartLimitIntervalSec=300',
    'StartLimitBurst=5',
    '',
    '[Service]',
    `ExecStart=${quoteCommand(program)}`,
    ...(homeIs === 'custom' ? [`Environment=${quoteAssignment('EXAI_HOME', home)}`] : []),
    'Restart=on-failure',
    'RestartSec=2',
    `RestartPreventExitStatus=${FINAL.map((each) => ERROR_POLICY[each].exit).join(' ')}`,
    '# The daemon finishes its calls first; what it started ends with it, not before.',
    'KillMode=mixed',
    `TimeoutStopSec=${stopWithinS}`,
    '# A core dump would hold keys.',
    'LimitCORE=0',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ];
  return seal(lines.join('\n'));
}

/**
 * Characters that systemd does not accept in a program name however it is quoted, and `$`, which
 * means something else there than in arguments.
 */
const UNFIT_PROGRAM = /["'\\$]/;
/** Replaces the shell with its first argument. */
const BY_SHELL = ['/bin/sh', '-c', 'exec "$0" "$@"'] as const;

/** The value of `ExecStart=` that runs exactly these arguments. */
function quoteCommand([program, ...args]: readonly [string, ...string[]]): string {
  if (UNFIT_PROGRAM.test(program)) return quoteCommand([...BY_SHELL, program, ...args]);
  const quoted = args.map((arg) => quote(arg.replaceAll('$', '$$$$')));
  return [quote(program), ...quoted].join(' ');
}

/** A value of `Environment=`, where a `$` means itself. */
function quoteAssignment(name: string, value: string): string {
  return quote(`${name}=${value}`);
}

/**
 * Quotes one argument: systemd first removes quotes and backslashes, then replaces `%h` and similar
 * specifiers.
 */
function quote(word: string): string {
  return `"${word.replaceAll('%', '%%').replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

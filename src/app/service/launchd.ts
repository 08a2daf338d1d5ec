import { join } from 'node:path';
import type { Environment } from '#config/environment.ts';
import { userFolder } from '#config/home/home.ts';
import { shellQuote } from '#core/text/text.ts';
import { programFailure, type ProgramRun, type RunProgram } from './run-program.ts';
import type { ServiceManager, ServiceState } from './service-manager.ts';
import { markNotes, seal } from './service-file.ts';
import type { ServiceSpec } from './service-spec.ts';

export function createLaunchd(
  spec: ServiceSpec,
  env: Environment,
  run: RunProgram,
  uid: number,
): ServiceManager {
  const domain = `gui/${uid}`;
  const target = `${domain}/${LABEL}`;
  const file = join(userFolder(env), 'Library', 'LaunchAgents', `${LABEL}.plist`);
  const launchctl = async (args: readonly string[]): Promise<ProgramRun> => {
    const ran = await run('launchctl', args);
    if (ran.code !== 0) throw programFailure(`launchctl ${args[0] ?? ''}`, ran);
    return ran;
  };
  const isLoaded = async () => (await run('launchctl', ['print', target])).code === 0;
  /** Waits for the daemon, which finishes its calls. */
  const unload = async () => {
    if (!(await isLoaded())) return;
    const ran = await run('launchctl', ['bootout', target], (spec.stopWithinS + 60) * 1000);
    if (ran.code !== 0 && (await isLoaded())) throw programFailure('launchctl bootout', ran);
  };
  return {
    name: 'launchd',
    file,
    text: writePlist(spec),
    installCommands: (start) => [
      `launchctl enable ${target}`,
      ...(start === 'now' ? [`launchctl bootstrap ${domain} ${shellQuote(file)}`] : []),
    ],
    removeCommands: [`launchctl bootout ${target}`],
    logCommand: 'exai doctor',
    links: [],
    async refresh() {
      await launchctl(['print-disabled', domain]);
    },
    async enable(start) {
      await launchctl(['enable', target]);
      if (start === 'at_login') return;
      // A loaded agent is not read again.
      await unload();
      await launchctl(['bootstrap', domain, file]);
    },
    disable: unload,
    async state() {
      const switches = await launchctl(['print-disabled', domain]);
      const shown = await run('launchctl', ['print', target]);
      return readLaunchdState(switches.stdout, shown);
    },
  };
}

/** Parses the human-readable output of `launchctl`; there is no other format. */
export function readLaunchdState(switches: string, shown: ProgramRun): ServiceState {
  const [, off] =
    new RegExp(`"${LABEL.replace('.', String.raw`\.`)}" => (\\w+)`).exec(switches) ?? [];
  const enabled = off !== 'true' && off !== 'disabled';
  if (shown.code !== 0) return { enabled, is: 'stopped', detail: 'not loaded' };
  const fact = (name: string) => new RegExp(`^\\s*${name} = (.+)$`, 'm').exec(shown.stdout)?.[1];
  const state = fact('state') ?? 'unknown';
  const pid = Number(fact('pid'));
  const exit = fact('last exit code');
  const failed = exit !== undefined && /^[1-9]/.test(exit);
  return {
    enabled,
    is: state === 'running' ? 'running' : failed ? 'failed' : 'stopped',
    ...(Number.isSafeInteger(pid) && pid > 0 && { pid }),
    detail: failed ? `${state}, last exit code ${exit}` : state,
  };
}

const LABEL = 'exai.daemon';

/**
 * Restart interval: launchd cannot distinguish failures, so a permanent one, such as another daemon
 * on the home, recurs at this interval.
 */
const THROTTLE_S = 60;

/** Renders the user's launch agent. */
export function writePlist({ program, home, homeIs, stopWithinS }: ServiceSpec): string {
  const [homeNote, check] = markNotes(home);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<!-- Written by `exai service install`, which writes over changes made here only when forced.',
    `${homeNote}`,
    `${check} -->`,
    '<plist version="1.0">',
    '<dict>',
    ...entry('Label', string(LABEL)),
    ...entry('ProgramArguments', '<array>', ...program.map(string), '</array>'),
    ...(homeIs === 'custom'
      ? entry('EnvironmentVariables', '<dict>', ...entry('EXAI_HOME', string(home)), '</dict>')
      : []),
    ...entry('RunAtLoad', '<true/>'),
    ...entry('KeepAlive', '<dict>', ...entry('SuccessfulExit', '<false/>'), '</dict>'),
    ...entry('ThrottleInterval', integer(THROTTLE_S)),
    ...entry('ExitTimeOut', integer(stopWithinS)),
    // A core dump would contain keys.
    ...entry('SoftResourceLimits', '<dict>', ...entry('Core', integer(0)), '</dict>'),
    '</dict>',
    '</plist>',
    '',
  ];
  return seal(lines.join('\n'));
}

function entry(key: string, ...value: readonly string[]): string[] {
  return [`<key>${escape(key)}</key>`, ...value];
}

function string(text: string): string {
  return `<string>${escape(text)}</string>`;
}

function integer(value: number): string {
  return `<integer>${value}</integer>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

import { join } from 'node:path';
import type { Environment } from '#config/environment.ts';
import { userFolder } from '#config/home.ts';
import { shellQuote } from '#core/shell-quote.ts';
import { LABEL, writePlist } from './launchd-plist.ts';
import type { Ran, RunProgram } from './run-program.ts';
import type { ServiceManager, ServiceState } from './service-manager.ts';
import type { ServiceSpec } from './service-spec.ts';
import { toldFailure } from './told-failure.ts';

export function createLaunchd(
  spec: ServiceSpec,
  env: Environment,
  run: RunProgram,
  uid: number,
): ServiceManager {
  const domain = `gui/${uid}`;
  const target = `${domain}/${LABEL}`;
  const file = join(userFolder(env), 'Library', 'LaunchAgents', `${LABEL}.plist`);
  const launchctl = async (args: readonly string[]): Promise<Ran> => {
    const ran = await run('launchctl', args);
    if (ran.code !== 0) throw toldFailure(`launchctl ${args[0] ?? ''}`, ran);
    return ran;
  };
  const isLoaded = async () => (await run('launchctl', ['print', target])).code === 0;
  /** It waits for the daemon, which finishes its calls. */
  const unload = async () => {
    if (!(await isLoaded())) return;
    const ran = await run('launchctl', ['bootout', target], (spec.stopWithinS + 60) * 1000);
    if (ran.code !== 0 && (await isLoaded())) throw toldFailure('launchctl bootout', ran);
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
      // What is loaded already is not read anew.
      await unload();
      await launchctl(['bootstrap', domain, file]);
    },
    disable: unload,
    async state() {
      const switches = await launchctl(['print-disabled', domain]);
      const shown = await run('launchctl', ['print', target]);
      return readState(switches.stdout, shown);
    },
  };
}

/** Of what `launchctl` prints for people: there is no other form. */
export function readState(switches: string, shown: Ran): ServiceState {
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

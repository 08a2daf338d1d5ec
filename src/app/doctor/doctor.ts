import { homePaths } from '#config/home.ts';
import { loadConfig, type ConfigSources } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { askReadiness, daemonState } from '../daemon-state.ts';
import type { System } from '../system.ts';
import { accounts } from './accounts.ts';
import { backups } from './backups.ts';
import type { Check, Examine, Patient } from './check.ts';
import { askNotices, clients } from './clients.ts';
import { configuration } from './configuration.ts';
import { daemon } from './daemon.ts';
import { gateway } from './gateway.ts';
import { home } from './home.ts';
import { keys } from './keys.ts';
import { disk, node, timeZone } from './machine.ts';
import { models } from './models.ts';
import { network } from './network.ts';
import { port } from './port.ts';
import { store } from './store.ts';
import { conclude, type Conclusion } from './conclusion.ts';
import { tls } from './tls.ts';
import { token } from './token.ts';
import { tracing } from './tracing.ts';

export interface Diagnosis extends Conclusion {
  readonly checks: readonly Check[];
}

/** In the order of the page. */
const EXAMINATIONS: readonly Examine[] = [
  node,
  home,
  disk,
  configuration,
  timeZone,
  daemon,
  clients,
  port,
  tls,
  token,
  gateway,
  store,
  backups,
  tracing,
  network,
  keys,
  accounts,
  models,
];

/** Looks at everything and changes nothing. */
export async function diagnose(sources: ConfigSources, system: System): Promise<Diagnosis> {
  const patient = await admit(sources, system);
  const checks: Check[] = [];
  for (const examine of EXAMINATIONS) checks.push(...(await examined(examine, patient)));
  return { checks, ...conclude(checks) };
}

/** An examination that fails is a finding, not the end of the page. */
async function examined(examine: Examine, patient: Patient): Promise<readonly Check[]> {
  try {
    return await examine(patient);
  } catch (thrown) {
    const { message, fix } = CallError.from(thrown);
    const check = {
      id: examine.name,
      title: examine.name,
      status: 'fail',
      detail: message,
    } as const;
    return [{ ...check, ...(fix !== undefined && { fix }) }];
  }
}

async function admit(sources: ConfigSources, system: System): Promise<Patient> {
  const paths = homePaths(sources.env);
  const state = daemonState(paths);
  const loaded = tryToLoad(sources);
  const bearer = loaded instanceof CallError ? '' : loaded.config.token;
  const known = {
    env: sources.env,
    system,
    home: paths,
    configFile: sources.configFile ?? paths.configFile,
    loaded,
    daemon: state,
    readiness:
      state.is === 'running'
        ? await askReadiness(state.record, { home: paths, token: bearer, clock: system.clock })
        : undefined,
  };
  let notices: Promise<readonly SentNotice[]> | undefined;
  return { ...known, notices: () => (notices ??= askNotices(known)) };
}

function tryToLoad(sources: ConfigSources): Patient['loaded'] {
  try {
    return loadConfig(sources);
  } catch (thrown) {
    return CallError.from(thrown);
  }
}

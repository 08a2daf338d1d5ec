import { homePaths } from '#config/home/home.ts';
import { loadConfig, type ConfigSources } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import { lazy } from '#core/lazy.ts';
import { fetchReadiness, daemonState } from '../daemon/daemon-state.ts';
import type { System } from '../system.ts';
import { askProviders, checkKeys, checkOtherVendorKeys } from './key-checks.ts';
import { checkModels } from './model-checks.ts';
import {
  checkBackups,
  checkConfiguration,
  checkDisk,
  checkHomeFolder,
  checkNode,
  checkSettingNames,
  checkStore,
  checkTimeZone,
  checkTracing,
} from './basic-checks.ts';
import type { Check, RunCheck, CheckContext } from './check.ts';
import {
  checkAudit,
  checkRestore,
  checkClients,
  checkClock,
  checkDaemon,
  checkGateway,
  checkLoop,
  checkDatabasePages,
  fetchNotices,
} from './daemon-checks.ts';
import { checkOlderSettings, fetchChangedSettings } from './older-settings.ts';
import { checkNetwork } from './network-check.ts';
import { checkServers } from './server-checks.ts';
import { checkFfmpeg } from './program-checks.ts';
import { checkPort, checkTls, checkToken } from './listener-checks.ts';
import { autostartOf } from '#client/connect-to-daemon.ts';
import { concludeDiagnosis, type Conclusion } from './summary.ts';

export interface Diagnosis extends Conclusion {
  readonly checks: readonly Check[];
}

/** In the order of the report. */
const CHECKS: readonly RunCheck[] = [
  checkNode,
  checkHomeFolder,
  checkDisk,
  checkConfiguration,
  checkSettingNames,
  checkTimeZone,
  checkDaemon,
  checkLoop,
  checkDatabasePages,
  checkAudit,
  checkRestore,
  checkClock,
  checkClients,
  checkOlderSettings,
  checkPort,
  checkTls,
  checkToken,
  checkGateway,
  checkStore,
  checkBackups,
  checkTracing,
  checkNetwork,
  checkFfmpeg,
  checkServers,
  checkKeys,
  checkOtherVendorKeys,
  checkModels,
];

/** Runs all checks. Changes nothing. */
export async function diagnose(sources: ConfigSources, system: System): Promise<Diagnosis> {
  const context = await createCheckContext(sources, system);
  const checks: Check[] = [];
  for (const check of CHECKS) checks.push(...(await runCheck(check, context)));
  return { checks, ...concludeDiagnosis(checks, autostartOf(context.env)) };
}

/** A check that throws is a finding, not the end of the report. */
async function runCheck(check: RunCheck, context: CheckContext): Promise<readonly Check[]> {
  try {
    return await check(context);
  } catch (thrown) {
    const { message, fix } = CallError.from(thrown);
    const failed = {
      id: check.name,
      title: check.name,
      status: 'fail',
      detail: message,
    } as const;
    return [{ ...failed, ...(fix !== undefined && { fix }) }];
  }
}

async function createCheckContext(sources: ConfigSources, system: System): Promise<CheckContext> {
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
        ? await fetchReadiness(state.record, { home: paths, token: bearer, clock: system.clock })
        : undefined,
  };
  return {
    ...known,
    notices: lazy(() => fetchNotices(known)),
    keyTests: lazy(() => askProviders(loaded, system)),
    changed: lazy(() => fetchChangedSettings(known)),
  };
}

function tryToLoad(sources: ConfigSources): CheckContext['loaded'] {
  try {
    return loadConfig(sources);
  } catch (thrown) {
    return CallError.from(thrown);
  }
}

import { userInfo } from 'node:os';
import type { Environment } from '#config/environment.ts';
import { homePaths, type Home } from '#config/home/home.ts';
import { loadConfig, type LoadedConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { findServiceManager } from './find-service-manager.ts';
import { programRunner } from './run-program.ts';
import type { ServiceManager } from './service-manager.ts';
import { serviceSpec } from './service-spec.ts';

/** The dependencies of installing, removing and inspecting the service. */
export interface ServiceContext {
  readonly manager: ServiceManager;
  readonly home: Home;
  readonly clock: Clock;
  /** For verifying that the daemon is the one of its record. */
  readonly token: string;
  /** Called with a description of what is being waited for. */
  readonly onWait: (description: string) => void;
}

export type ServiceContextOptions = Pick<ServiceContext, 'clock' | 'token' | 'onWait'> & {
  readonly env: Environment;
  readonly platform?: string;
  readonly program?: readonly [string, ...string[]];
};

export function createServiceContext(options: ServiceContextOptions): ServiceContext {
  const { env, clock, token, onWait, platform = process.platform } = options;
  const home = homePaths(env);
  const { config } = asService(home);
  const spec = serviceSpec({
    home,
    program: options.program ?? thisProgram(),
    accountFolder: accountFolder(),
    drainMs: config.shutdown.drainMs,
  });
  const run = programRunner(env, clock);
  const uid = process.getuid?.() ?? 0;
  const manager = findServiceManager(spec, { platform, uid, env, run });
  return { manager, home, clock, token, onWait };
}

/** Setting variables of this environment that a daemon started at login would lack. */
export function settingsLeftBehind(env: Environment): string[] {
  try {
    const stored = asService(homePaths(env)).origins;
    const names = [...loadConfig({ env }).origins].flatMap(([path, { kind, name }]) =>
      kind === 'env' && stored.get(path)?.kind === 'default' ? [name] : [],
    );
    return [...new Set(names)].toSorted();
  } catch (thrown) {
    // Errors of this environment do not concern a daemon that does not have it.
    if (thrown instanceof CallError) return [];
    throw thrown;
  }
}

/** The settings that a service has: those in the home. */
function asService(home: Home): LoadedConfig {
  return loadConfig({ env: { EXAI_HOME: home.root } });
}

function thisProgram(): [string, ...string[]] {
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  return [process.execPath, ...flags, process.argv[1] ?? ''];
}

function accountFolder(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // A user without an account, as in some containers.
    return undefined;
  }
}

import { userInfo } from 'node:os';
import type { Environment } from '#config/environment.ts';
import { homePaths, type Home } from '#config/home.ts';
import { loadConfig, type LoadedConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { findServiceManager } from './find-service-manager.ts';
import { programRunner } from './run-program.ts';
import type { ServiceManager } from './service-manager.ts';
import { serviceSpec } from './service-spec.ts';

/** What installing, removing and looking at the service need. */
export interface ServiceWorld {
  readonly manager: ServiceManager;
  readonly home: Home;
  readonly clock: Clock;
  /** For asking the daemon whether it is the one that its record speaks of. */
  readonly token: string;
  /** Hears what is waited for. */
  readonly tell: (words: string) => void;
}

export type WorldOptions = Pick<ServiceWorld, 'clock' | 'token' | 'tell'> & {
  readonly env: Environment;
  readonly platform?: string;
  readonly program?: readonly [string, ...string[]];
};

export function openServiceWorld(options: WorldOptions): ServiceWorld {
  const { env, clock, token, tell, platform = process.platform } = options;
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
  return { manager, home, clock, token, tell };
}

/** Variables of this environment that are settings, and that a daemon started at login would not have. */
export function settingsLeftBehind(env: Environment): string[] {
  try {
    const kept = asService(homePaths(env)).origins;
    const names = [...loadConfig({ env }).origins].flatMap(([path, { kind, name }]) =>
      kind === 'env' && kept.get(path)?.kind === 'default' ? [name] : [],
    );
    return [...new Set(names)].toSorted();
  } catch (thrown) {
    // What is wrong with this environment is no matter to a daemon that does not have it.
    if (thrown instanceof CallError) return [];
    throw thrown;
  }
}

/** The settings as a service has them: those that stand in the home. */
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

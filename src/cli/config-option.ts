import { loadConfig, type ConfigSources, type LoadedConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import type { Options } from './command.ts';
import type { Io } from './io.ts';

/** For the `options` of every command that reads the configuration. */
export const CONFIG_OPTION = {
  config: { type: 'string', value: 'F', help: 'Read this file instead of EXAI_HOME/config.json' },
} as const satisfies Options;

type Given = { readonly config?: string };

/** Where the settings of this run come from. */
export function sourcesFor({ config }: Given, { env }: Pick<Io, 'env'>): ConfigSources {
  return { env, ...(config !== undefined && { configFile: config }) };
}

/** The configuration of this run. */
export function loadFor(options: Given, io: Pick<Io, 'env'>): LoadedConfig {
  return loadConfig(sourcesFor(options, io));
}

/** The token to ask the daemon with; none when the settings are broken, as most of its answers need none. */
export function tokenFor(options: Given, io: Pick<Io, 'env'>): string {
  const loaded = tryToLoad(options, io);
  return loaded instanceof CallError ? '' : loaded.config.token;
}

/** What is wrong with the settings; nothing when they are right. */
export function configFault(options: Given, io: Pick<Io, 'env'>): CallError | undefined {
  const loaded = tryToLoad(options, io);
  return loaded instanceof CallError ? loaded : undefined;
}

function tryToLoad(options: Given, io: Pick<Io, 'env'>): LoadedConfig | CallError {
  try {
    return loadFor(options, io);
  } catch (thrown) {
    if (thrown instanceof CallError) return thrown;
    throw thrown;
  }
}

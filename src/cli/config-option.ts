import { loadConfig, type ConfigSources, type LoadedConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { CommandOptions } from './command.ts';
import type { Io } from './io.ts';

/** The option `--config`, for every command that reads the configuration. */
export const CONFIG_OPTION = {
  config: { type: 'string', value: 'F', help: 'Read this file instead of EXAI_HOME/config.json' },
} as const satisfies CommandOptions;

type ConfigOption = { readonly config?: string };

/** The sources of the settings of this run. */
export function configSourcesFor(
  { config }: ConfigOption,
  { env }: Pick<Io, 'env'>,
): ConfigSources {
  return { env, ...(config !== undefined && { configFile: config }) };
}

/** The configuration of this run. */
export function loadConfigFor(options: ConfigOption, io: Pick<Io, 'env'>): LoadedConfig {
  return loadConfig(configSourcesFor(options, io));
}

/**
 * The token for requests to the daemon; empty when the settings are invalid, as most requests need
 * none.
 */
export function daemonTokenFor(options: ConfigOption, io: Pick<Io, 'env'>): string {
  const loaded = tryToLoad(options, io);
  return loaded instanceof CallError ? '' : loaded.config.token;
}

/** The error in the settings, or undefined if they are valid. */
export function findConfigError(options: ConfigOption, io: Pick<Io, 'env'>): CallError | undefined {
  const loaded = tryToLoad(options, io);
  return loaded instanceof CallError ? loaded : undefined;
}

function tryToLoad(options: ConfigOption, io: Pick<Io, 'env'>): LoadedConfig | CallError {
  try {
    return loadConfigFor(options, io);
  } catch (thrown) {
    if (thrown instanceof CallError) return thrown;
    throw thrown;
  }
}

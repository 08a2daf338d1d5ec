import type { Environment } from '#config/environment.ts';
import { loadConfig } from '#config/load/load.ts';
import { addedNames } from '#config/secrets/keys.ts';
import { CallError } from '#core/errors/call-error.ts';

/** The names of the providers that the user has added; none while the settings are invalid. */
export function addedProviderNames(env: Environment): readonly string[] {
  try {
    return addedNames(loadConfig({ env }));
  } catch (thrown) {
    if (thrown instanceof CallError) return [];
    throw thrown;
  }
}

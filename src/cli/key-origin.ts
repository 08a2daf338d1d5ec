import type { Environment } from '#config/environment.ts';
import { listKeys } from '#config/keys.ts';
import { loadConfig } from '#config/load.ts';
import type { Origin } from '#config/origin.ts';
import { CallError } from '#core/call-error.ts';

/** Where the value of a key comes from now, if it has one. Not known while the settings are broken, which harms no key. */
export function keyOrigin(name: string, env: Environment): Origin | undefined {
  try {
    return listKeys(loadConfig({ env })).find((key) => key.name === name)?.origin;
  } catch (thrown) {
    if (thrown instanceof CallError) return undefined;
    throw thrown;
  }
}

import { readDotenv } from './dotenv.ts';
import { variable, type Environment } from '../environment.ts';
import type { LoadedConfig } from './load.ts';
import { valueAt } from '../secrets/mask.ts';
import { createReport } from './report.ts';
import { SETTINGS, type Setting } from '../schema/settings.ts';

/**
 * A setting in the environment of a client that this daemon does not have, or has with another
 * value.
 */
export interface MissingSetting {
  /** The client's variable. */
  readonly name: string;
  /** `stored`: it was added to .env after this daemon started. */
  readonly state: 'missing' | 'stored';
  /** The command that gives it to the daemon. */
  readonly command: string;
}

/** A digest of a variable and its value, so that values can be compared without being read. */
export type SettingDigest = (name: string, value: string) => string;

/** The token is checked when a client authenticates, so it is not compared here. */
const AUTHENTICATED_SEPARATELY = 'token';

/** The settings of a client, as digests by variable, that `loaded` does not have. */
export function findMissingSettings(
  theirs: Readonly<Record<string, string>>,
  { config, home }: LoadedConfig,
  env: Environment,
  digest: SettingDigest,
): MissingSetting[] {
  const found = SETTINGS.filter(({ path }) => path !== AUTHENTICATED_SEPARATELY).flatMap(
    (setting) => {
      const value = valueAt(config, setting.path);
      const ours = Array.isArray(value) ? value.join(',') : String(value);
      return setting.variables.flatMap(({ name }) => {
        const theirDigest = Object.hasOwn(theirs, name) ? theirs[name] : undefined;
        if (theirDigest === undefined) return [];
        // The value in effect, or as written where the unit or the case differ.
        const known = [ours, variable(env, name) ?? ours];
        return known.some((text) => digest(name, text) === theirDigest)
          ? []
          : [{ setting, name, theirDigest }];
      });
    },
  );
  if (found.length === 0) return [];
  const { variables: stored } = readDotenv(home.envFile, createReport());
  return found.map(({ setting, name, theirDigest }) => {
    const isStored = setting.variables.some((each) => {
      const value = stored.get(each.name)?.value;
      return value !== undefined && digest(name, value) === theirDigest;
    });
    return isStored
      ? { name, state: 'stored', command: 'exai stop' }
      : { name, state: 'missing', command: commandFor(setting, name, home.envFile) };
  });
}

function commandFor({ meta }: Setting, name: string, envFile: string): string {
  return meta.key
    ? `exai keys add ${meta.key.name}, then: exai stop`
    : `write ${name}=… to ${envFile}, then: exai stop`;
}

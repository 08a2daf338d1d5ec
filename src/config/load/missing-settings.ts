import { readDotenv } from './dotenv.ts';
import { variable, type Environment } from '../environment.ts';
import type { LoadedConfig } from './load.ts';
import { createReport } from './report.ts';
import { SETTINGS } from '../schema/settings.ts';
import { valueAt, type Setting } from '../schema/setting-schema.ts';

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

const RELOAD = 'exai config reload';
/** The new daemon has the environment of the shell that starts it. */
const RESTART = 'exai restart';

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
    // The environment of the daemon counts more than what is stored, and only a restart replaces it.
    const isFixed = setting.variables.some((each) => variable(env, each.name) !== undefined);
    const isReloadable = setting.meta.applies.at === 'reload' && !isFixed;
    if (isStored) {
      return { name, state: 'stored', command: isReloadable ? RELOAD : RESTART };
    }
    const command = isReloadable ? commandFor(setting, name, home.envFile) : RESTART;
    return { name, state: 'missing', command };
  });
}

function commandFor({ meta }: Setting, name: string, envFile: string): string {
  return meta.key
    ? `exai keys add ${meta.key.name}`
    : `write ${name}=… to ${envFile}, then: ${RELOAD}`;
}

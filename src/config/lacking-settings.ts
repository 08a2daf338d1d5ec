import { readDotenv } from './dotenv.ts';
import { variable, type Environment } from './environment.ts';
import type { LoadedConfig } from './load.ts';
import { valueAt } from './mask.ts';
import { createReport } from './report.ts';
import { SETTINGS, type Setting } from './settings.ts';

/** A setting that a client has in its environment and this daemon has not, or has otherwise. */
export interface LackingSetting {
  /** The client's variable. */
  readonly name: string;
  /** `stored`: it stands in the .env since this daemon was started. */
  readonly state: 'missing' | 'stored';
  /** What gives it to the daemon. */
  readonly command: string;
}

/** Of a variable and its value, so that values can be compared and not read. */
export type SettingDigest = (name: string, value: string) => string;

/** The token is proven at the door, by itself; what it was when the daemon started says nothing. */
const PROVEN_AT_THE_DOOR = 'token';

/** What the settings of a client, told as digests by variable, have that `loaded` lacks. */
export function lackingSettings(
  theirs: Readonly<Record<string, string>>,
  { config, home }: LoadedConfig,
  env: Environment,
  digest: SettingDigest,
): LackingSetting[] {
  const found = SETTINGS.filter(({ path }) => path !== PROVEN_AT_THE_DOOR).flatMap((setting) => {
    const value = valueAt(config, setting.path);
    const ours = Array.isArray(value) ? value.join(',') : String(value);
    return setting.variables.flatMap(({ name }) => {
      const told = Object.hasOwn(theirs, name) ? theirs[name] : undefined;
      if (told === undefined) return [];
      // As it is in force, or as it was written where the unit or the case differ.
      const known = [ours, variable(env, name) ?? ours];
      return known.some((text) => digest(name, text) === told) ? [] : [{ setting, name, told }];
    });
  });
  if (found.length === 0) return [];
  const { variables: stored } = readDotenv(home.envFile, createReport());
  return found.map(({ setting, name, told }) => {
    const isStored = setting.variables.some((each) => {
      const value = stored.get(each.name)?.value;
      return value !== undefined && digest(name, value) === told;
    });
    return isStored
      ? { name, state: 'stored', command: 'exai stop' }
      : { name, state: 'missing', command: commandFor(setting, name, home.envFile) };
  });
}

function commandFor({ facts }: Setting, name: string, envFile: string): string {
  return facts.key
    ? `exai keys add ${facts.key.name}, then: exai stop`
    : `write ${name}=… to ${envFile}, then: exai stop`;
}

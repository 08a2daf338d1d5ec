import type { Config } from '../schema/config.schema.ts';
import type { Applies } from '../schema/setting-meta.ts';
import { valueAt, type SettingSchema } from '../schema/setting-schema.ts';
import { CONFIG_SCHEMA } from '../schema/settings.ts';
import { loadConfig, type LoadedConfig } from './load.ts';

/** A setting whose value was changed after it was loaded. It never has the value itself. */
export interface ChangedSetting {
  readonly path: string;
  /** The name in `exai keys`, if it is a key. */
  readonly key?: string;
  /** Whether there was a value before. */
  readonly before: 'set' | 'unset';
  readonly applies: Applies;
}

/** The settings that differ when the same sources are loaded again; throws if they are invalid. */
export function findChangedSettings(loaded: LoadedConfig): readonly ChangedSetting[] {
  return compareSettings(loaded.config, loadConfig(loaded.sources).config);
}

/**
 * The settings in which two configurations differ. The owner's token is not compared: it is
 * generated at the first start and replaced by `exai token rotate`.
 */
export function compareSettings<C = Config>(
  running: C,
  next: C,
  schema: SettingSchema<C> = CONFIG_SCHEMA as unknown as SettingSchema<C>,
): readonly ChangedSetting[] {
  const all = [running, next].flatMap((config) => schema.settingsIn(config));
  const settings = new Map(all.map((setting) => [setting.path, setting]));
  return [...settings.values()].flatMap(({ path, meta }): ChangedSetting[] => {
    const { applies, key } = meta;
    const before = valueAt(running, path);
    if (isOwnerToken(applies) || isSame(before, valueAt(next, path))) return [];
    const change = {
      path,
      before: before === '' || before === undefined ? 'unset' : 'set',
      applies,
    } as const;
    return [key === undefined ? change : { ...change, key: key.name }];
  });
}

/** The next settings as far as they apply at a reload; the others are as they were. */
export function settingsAtReload(running: LoadedConfig, next: LoadedConfig): LoadedConfig {
  // Loaded values are plain JSON data.
  const config = structuredClone(next.config);
  const origins = new Map(next.origins);
  for (const { path, meta } of CONFIG_SCHEMA.settings) {
    if (meta.applies.at === 'reload') continue;
    setValue(config, path, valueAt(running.config, path));
    const origin = running.origins.get(path);
    if (origin) origins.set(path, origin);
  }
  return { ...next, config, origins };
}

function setValue(config: Config, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const group = keys.length === 0 ? config : valueAt(config, keys.join('.'));
  (group as Record<string, unknown>)[last] = value;
}

function isOwnerToken(applies: Applies): boolean {
  return applies.at === 'restart' && applies.reason === 'owner_token';
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

import type { LoadedConfig } from './load.ts';
import { maskValue } from '../secrets/mask.ts';
import { DEFAULT_ORIGIN, type Origin } from './origin.ts';
import { CONFIG_SCHEMA } from '../schema/settings.ts';
import { valueAt, type SettingSchema } from '../schema/setting-schema.ts';

export interface ShownSetting {
  readonly path: string;
  /** Masked if secret. */
  readonly value: unknown;
  readonly origin: Origin;
}

/** Every setting with its masked value and its origin, for display. */
export function showConfig({ config, origins }: LoadedConfig): ShownSetting[] {
  return showSettings({ config, origins }, CONFIG_SCHEMA);
}

export function showSettings<C>(
  { config, origins }: Pick<LoadedConfig<C>, 'config' | 'origins'>,
  schema: SettingSchema<C>,
): ShownSetting[] {
  return schema.settingsIn(config).map((setting) => ({
    path: setting.path,
    value: maskValue(setting, valueAt(config, setting.path)),
    origin: origins.get(setting.path) ?? DEFAULT_ORIGIN,
  }));
}

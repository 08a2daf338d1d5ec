import { Config } from './config.schema.ts';
import { createSettingSchema, type Setting, type SettingSchema } from './setting-schema.ts';
import { SETTING_ALIASES } from './setting-aliases.ts';

/** The settings of EX-AI. */
export const CONFIG_SCHEMA: SettingSchema<Config> = createSettingSchema(Config, SETTING_ALIASES);

/** The settings that every configuration has. */
export const SETTINGS: readonly Setting[] = CONFIG_SCHEMA.settings;

export function findSetting(path: string): Setting | undefined {
  return CONFIG_SCHEMA.find(path);
}

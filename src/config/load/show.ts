import type { LoadedConfig } from './load.ts';
import { maskValue, valueAt } from '../secrets/mask.ts';
import { DEFAULT_ORIGIN, type Origin } from './origin.ts';
import { SETTINGS } from '../schema/settings.ts';

export interface ShownSetting {
  readonly path: string;
  /** Masked if secret. */
  readonly value: unknown;
  readonly origin: Origin;
}

/** Every setting with its masked value and its origin, for display. */
export function showConfig({ config, origins }: LoadedConfig): ShownSetting[] {
  return SETTINGS.map((setting) => ({
    path: setting.path,
    value: maskValue(setting, valueAt(config, setting.path)),
    origin: origins.get(setting.path) ?? DEFAULT_ORIGIN,
  }));
}

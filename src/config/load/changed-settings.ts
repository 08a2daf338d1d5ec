import { valueAt } from '../secrets/mask.ts';
import { SETTINGS } from '../schema/settings.ts';
import { loadConfig, type LoadedConfig } from './load.ts';

/** A setting whose value was changed after it was loaded. It never has the value itself. */
export interface ChangedSetting {
  readonly path: string;
  /** The name in `exai keys`, if it is a key. */
  readonly key?: string;
  /** Whether there was a value before. */
  readonly before: 'set' | 'unset';
}

/** Rotated at run time, and generated at the first start. */
const OWNER_TOKEN = 'token';

/** The settings that differ when the same sources are loaded again; throws if they are invalid. */
export function findChangedSettings(loaded: LoadedConfig): readonly ChangedSetting[] {
  const { config } = loadConfig(loaded.sources);
  return SETTINGS.flatMap(({ path, meta }): ChangedSetting[] => {
    const before = valueAt(loaded.config, path);
    if (path === OWNER_TOKEN || isSame(before, valueAt(config, path))) return [];
    const key = meta.key?.name;
    return [{ path, before: before === '' ? 'unset' : 'set', ...(key !== undefined && { key }) }];
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

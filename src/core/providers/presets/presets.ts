import { LOCAL_PRESETS } from './local-servers.ts';
import type { Preset } from './preset.ts';
import { VENDOR_PRESETS } from './vendors.ts';

/** All presets of `exai providers add`, vendors first. */
export const PRESETS: readonly Preset[] = [...VENDOR_PRESETS, ...LOCAL_PRESETS];

const BY_ID = new Map(PRESETS.map((preset) => [preset.id, preset]));

/** The preset with this id; undefined for an unknown one. */
export function findPreset(id: string): Preset | undefined {
  return BY_ID.get(id);
}

import type { Random } from '#core/random.ts';
import type { SettingStore } from '#core/stores/settings.ts';

const NAME = 'request_state_key';
const KEY_BYTES = 32;

/** With which calls close what their clients keep for them: one for all daemons of a store, kept over restarts. */
export async function requestStateKey(
  settings: Pick<SettingStore, 'keep' | 'set'>,
  random: Random,
): Promise<Uint8Array> {
  const fresh = Buffer.from(random(KEY_BYTES)).toString('base64url');
  const kept = await settings.keep(NAME, fresh);
  const key = Buffer.from(typeof kept === 'string' ? kept : '', 'base64url');
  if (key.length === KEY_BYTES) return key;
  // Not one of ours; with a new one, the questions that are open have to be asked again.
  await settings.set(NAME, fresh);
  return Buffer.from(fresh, 'base64url');
}

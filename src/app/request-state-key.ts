import type { Random } from '#core/random.ts';
import type { SettingStore } from '#core/stores/settings.ts';

const NAME = 'request_state_key';
const KEY_BYTES = 32;

/**
 * The key that seals the request states held by clients: one for all daemons of a store, persistent
 * over restarts.
 */
export async function requestStateKey(
  settings: Pick<SettingStore, 'keep' | 'set'>,
  random: Random,
): Promise<Uint8Array> {
  const fresh = Buffer.from(random(KEY_BYTES)).toString('base64url');
  const stored = await settings.keep(NAME, fresh);
  const key = Buffer.from(typeof stored === 'string' ? stored : '', 'base64url');
  if (key.length === KEY_BYTES) return key;
  // Not a valid key; with a new one, pending input requests have to be repeated.
  await settings.set(NAME, fresh);
  return Buffer.from(fresh, 'base64url');
}

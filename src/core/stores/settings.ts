import type { Json } from '../json/json.ts';

/** Internal key-value data of the daemon, such as the last refresh of the catalogue. */
export interface SettingStore {
  get(name: string): Promise<Json | undefined>;
  set(name: string, value: Json): Promise<void>;
  /** Sets a value if there is none, and returns the stored one; concurrent daemons get the same. */
  keep(name: string, value: Json): Promise<Json>;
  delete(name: string): Promise<void>;
}

import type { Json } from '../json.ts';

/** Small facts the daemon itself keeps, such as the catalogue's last refresh. */
export interface SettingStore {
  get(name: string): Promise<Json | undefined>;
  set(name: string, value: Json): Promise<void>;
  delete(name: string): Promise<void>;
}

import type { Json } from '../json.ts';

/** Small facts the daemon itself keeps, such as the catalogue's last refresh. */
export interface SettingStore {
  get(name: string): Promise<Json | undefined>;
  set(name: string, value: Json): Promise<void>;
  /** Sets it where nothing is set, and gives what is set then: of many daemons at once, all get the same. */
  keep(name: string, value: Json): Promise<Json>;
  delete(name: string): Promise<void>;
}

import { createAccounts, type Accounts } from './account.ts';
import { createFileStore, type FileStore } from './file-store.ts';
import { createLegacyCache, type LegacyCache } from './legacy-cache.ts';
import { createPrefixCache, type PrefixCache } from './prefix-cache.ts';
import type { KimiPlan } from './models.ts';
import { kimiSwitches, type KimiSwitches } from './switches.ts';

/** All that the vendor remembers. */
export interface KimiState {
  readonly switches: KimiSwitches;
  readonly plan: KimiPlan;
  readonly accounts: Accounts;
  readonly files: FileStore;
  readonly prefixes: PrefixCache;
  readonly caches: LegacyCache;
  /** An id that was not given before, the same after every reset. */
  nextId(): string;
  reset(): void;
}

export function createKimiState(plan: KimiPlan): KimiState {
  const turned = kimiSwitches();
  const { switches } = turned;
  const accounts = createAccounts(switches, plan);
  const files = createFileStore();
  const prefixes = createPrefixCache();
  const caches = createLegacyCache();
  let ids = 0;
  return {
    switches,
    plan,
    accounts,
    files,
    prefixes,
    caches,
    nextId() {
      ids += 1;
      // Spread over the hex digits, so that ids do not look like a count.
      return (
        ((ids * 0x9e3779b1) >>> 0).toString(16).padStart(8, '0') + ids.toString(16).padStart(4, '0')
      );
    },
    reset() {
      accounts.clear();
      files.clear();
      prefixes.clear();
      caches.clear();
      ids = 0;
      turned.reset();
    },
  };
}

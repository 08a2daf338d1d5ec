import type { Plants } from './plants.ts';

/** These are of a disk that hangs. */
export const STORE_PLANTS = {
  /** Waits for the disk without a limit. */
  'patient-store': (): Plants => ({ bound: (commit) => commit }),
  /** A record that takes long is taken for stored. */
  'eager-acknowledge': (): Plants => ({
    store: (store, clock) => ({
      ...store,
      record: (row) =>
        new Promise((resolve, reject) => {
          const soon = clock.after(300, resolve);
          store
            .record(row)
            .finally(() => soon.stop())
            .then(resolve, reject);
        }),
    }),
  }),
  /** Nobody asks whether the store fails before something is begun. */
  'blind-to-store': (): Plants => ({ storeFailure: 'ignored' }),
} as const satisfies Record<string, () => Plants>;

import type { Store } from '#core/stores/store.ts';
import { every, type Clock } from '#core/time/clock.ts';

const DAY_MS = 86_400_000;
/** The start of a daemon has more urgent work. */
const AFTER_START_MS = 60_000;

/** Checks the pages of the store a minute after the start, and daily. */
export function startStoreCheck(store: Pick<Store, 'checkPages'>, clock: Clock): { stop(): void } {
  // A store that cannot be checked has logged why, and its next check may succeed.
  const check = async () => void (await store.checkPages().catch(() => undefined));
  const first = clock.after(AFTER_START_MS, () => void check());
  const daily = every(clock, DAY_MS, check);
  return {
    stop() {
      first.stop();
      daily.stop();
    },
  };
}

import { CallError } from '#core/call-error.ts';
import type { Json } from '#core/json.ts';
import type { BreakerStore } from '#core/stores/breakers.ts';
import type { Log } from '#core/telemetry.ts';

/** Writes the states of breakers in the order in which they changed; nobody waits for it. */
export interface BreakerKeeper {
  keep(key: string, state: Json): void;
  /** Resolves when all that was to be kept is kept, or could not be. */
  settled(): Promise<void>;
}

export function createBreakerKeeper(store: BreakerStore, log: Log): BreakerKeeper {
  const waiting = new Map<string, Json>();
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    for (let [next] = waiting; next; [next] = waiting) {
      const [key, state] = next;
      waiting.delete(key);
      try {
        await store.save(key, state);
      } catch (thrown) {
        // A restart would forget this outage, and find it again with the next failures.
        log.warn('breaker_not_stored', { key, error: CallError.from(thrown).toJSON() });
      }
    }
    writing = undefined;
  }

  return {
    keep(key, state) {
      // Only the newest of each counts.
      waiting.delete(key);
      waiting.set(key, state);
      writing ??= write();
    },
    settled: () => writing ?? Promise.resolve(),
  };
}

import { CallError } from '#core/errors/call-error.ts';
import { every, type Clock } from '#core/time/clock.ts';
import type { RetentionPolicy, Store } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';

const HOUR_MS = 3_600_000;

/** Removes rows older than configured, now and every hour. `stop` waits for a running removal. */
export function startRetention(
  store: Pick<Store, 'prune'>,
  policy: RetentionPolicy,
  clock: Clock,
  log: Log,
): { stop(): Promise<void> } {
  const prune = async () => {
    try {
      const removed = await store.prune(policy);
      const rows = Object.values(removed).reduce((sum, count) => sum + count, 0);
      if (rows > 0) log.info('retention', { removed });
    } catch (thrown) {
      log.error('retention_failed', { error: CallError.from(thrown).toJSON() });
    }
  };
  let running = prune();
  const timer = every(clock, HOUR_MS, () => (running = prune()));
  return {
    async stop() {
      timer.stop();
      await running;
    },
  };
}

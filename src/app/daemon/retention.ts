import { CallError } from '#core/errors/call-error.ts';
import { every, type Clock } from '#core/time/clock.ts';
import type { RetentionPolicy, Store } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { RetentionClock } from './retention-clock.ts';

const HOUR_MS = 3_600_000;

export interface RetentionDeps {
  readonly store: Pick<Store, 'prune'>;
  readonly policy: RetentionPolicy;
  readonly retentionClock: Pick<RetentionClock, 'time'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Removes rows older than configured, now and every hour; nothing while the clock is not trusted.
 * `stop` waits for a running removal.
 */
export function startRetention({ store, policy, retentionClock, clock, log }: RetentionDeps): {
  stop(): Promise<void>;
} {
  const prune = async () => {
    try {
      const nowMs = await retentionClock.time();
      if (nowMs === undefined) return;
      const removed = await store.prune(policy, nowMs);
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

import { CallError } from '#core/errors/call-error.ts';
import { every, type Clock, type Timer } from '#core/time/clock.ts';
import type { Store, StoreHealth } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { withTimeout } from '../with-timeout.ts';

export interface Readiness {
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly reason?: string;
  readonly store?: StoreHealth;
}

/** For the unix socket, where there may be no port for `/readyz`. */
export const READINESS_METHOD = 'exai/readiness';

export interface ReadinessProbe {
  /** Answers in bounded time, even if the store hangs. */
  check(): Promise<Readiness>;
  /** Checks periodically, so that the log shows when the store failed and recovered. */
  watch(): Timer;
  /** Marks the daemon as draining: it accepts no new work. */
  drain(): void;
}

const PATIENCE_MS = 2000;
const WATCH_MS = 15_000;
/** While it fails, and calls are refused, it is checked more often. */
const WATCH_FAILURE_MS = 1000;

/** Checks whether the daemon can work now. */
export function createReadiness(
  store: Pick<Store, 'health' | 'failure'>,
  isLockIntact: () => boolean,
  clock: Clock,
  log: Log,
): ReadinessProbe {
  let draining = false;
  let wasReady = true;
  let checkedAt = clock.monotonic();
  let asking: Promise<StoreHealth> | undefined;
  let kind: StoreHealth['kind'] | undefined;

  /** A store that hangs is asked once at a time. */
  function askStore(): Promise<StoreHealth> {
    asking ??= store.health().finally(() => (asking = undefined));
    return asking;
  }

  const check = async () => {
    if (draining) return { ready: false, reason: 'The daemon is stopping.' };
    checkedAt = clock.monotonic();
    const now = isLockIntact() ? await toReadiness(askStore(), kind, clock, store) : LOCK_GONE;
    kind = now.store?.kind ?? kind;
    if (now.ready !== wasReady) {
      wasReady = now.ready;
      if (now.ready) log.info('store_recovered');
      else log.error('store_unavailable', { reason: now.reason });
    }
    return now;
  };
  return {
    check,
    watch: () =>
      every(clock, WATCH_FAILURE_MS, async () => {
        const isDue = clock.monotonic() - checkedAt >= WATCH_MS;
        if (isDue || !wasReady || store.failure()) await check();
      }),
    drain: () => void (draining = true),
  };
}

const LOCK_GONE: Readiness = {
  ready: false,
  reason: 'daemon.lock was removed, so a second daemon could start on this home. Restart this one.',
};

async function toReadiness(
  asked: Promise<StoreHealth>,
  kind: StoreHealth['kind'] | undefined,
  clock: Clock,
  store: Pick<Store, 'failure'>,
): Promise<Readiness> {
  try {
    const health = await withTimeout(clock, PATIENCE_MS, asked);
    if (health === 'late') {
      if (kind === 'postgres') return { ready: false, reason: 'PostgreSQL does not answer.' };
      return { ready: false, reason: store.failure()?.message ?? 'The store does not answer.' };
    }
    if (health.ok) return { ready: true, store: health };
    return { ready: false, reason: health.detail ?? 'The store is not available.', store: health };
  } catch (thrown) {
    return { ready: false, reason: CallError.from(thrown).message };
  }
}

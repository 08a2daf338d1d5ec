import { CallError } from '#core/errors/call-error.ts';
import type { RetentionPolicy, Store } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import type { AdminMethods } from '#transport/admin/admin-methods.ts';
import type { RetentionClock } from './retention-clock.ts';

export const RETENTION_METHODS = {
  preview: 'exai/retention/preview',
  run: 'exai/retention/run',
} as const;

export interface RetentionPreview {
  /** The clock of the daemon; what is too old then would be removed. */
  readonly atMs: number;
  /** By table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Whether the daemon trusts its clock. */
  readonly clock: 'trusted' | 'ahead' | 'behind';
}

export interface RetentionRun {
  readonly atMs: number;
  readonly removed: Readonly<Record<string, number>>;
}

export interface RetentionMethodDeps {
  readonly store: Pick<Store, 'prune' | 'countExpired'>;
  readonly policy: () => RetentionPolicy;
  readonly retentionClock: RetentionClock;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** The owner may think for so long about what a preview showed. */
const PREVIEW_VALID_MS = 3_600_000;

/** For the owner: removal by a clock that the owner confirms. */
export function retentionMethods(deps: RetentionMethodDeps): AdminMethods {
  const { store, policy, retentionClock, clock, log } = deps;
  return {
    async [RETENTION_METHODS.preview](): Promise<RetentionPreview> {
      await retentionClock.time();
      const atMs = clock.now();
      const rows = await store.countExpired(policy(), atMs);
      return { atMs, rows, clock: retentionClock.jump()?.direction ?? 'trusted' };
    },
    async [RETENTION_METHODS.run](params): Promise<RetentionRun> {
      const atMs = readTime(params, clock.now());
      await retentionClock.confirm(atMs);
      const removed = await store.prune(policy(), atMs);
      log.info('retention', { removed, by: 'owner' });
      return { atMs, removed };
    },
  };
}

/** The time of a preview, by a clock that has not been set since. */
function readTime(params: unknown, nowMs: number): number {
  const { at_ms: atMs } = (params ?? {}) as { readonly at_ms?: unknown };
  const isNow =
    typeof atMs === 'number' &&
    Number.isInteger(atMs) &&
    atMs <= nowMs &&
    atMs >= nowMs - PREVIEW_VALID_MS;
  if (isNow) return atMs;
  throw new CallError('validation', 'at_ms must be the time of a preview of the last hour.', {
    field: 'at_ms',
    fix: 'Ask for a preview again',
  });
}

import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { fix } from '#core/messages/fixes.ts';
import type { AcquirePermit, RateResponse } from '#providers/openai-compatible/client-options.ts';
import type { AdaptiveCapacity } from '#resilience/adaptive-capacity.ts';
import type { Limiter, Permit, QueueEntry } from '#resilience/limiter.ts';

/** A limiter whose capacities follow what vendors allow. */
export interface VendorLimiter extends Limiter {
  readonly adaptive?: AdaptiveCapacity;
}

interface VendorLimitOptions {
  /** The setting of the limit; default: that of the pool in `limits`. */
  readonly setting?: string;
  /** The name of the provider in messages; default: the pool. */
  readonly name?: string;
  readonly capacity?: number;
}

/**
 * Limits concurrent requests to a vendor; the rest wait in a bounded queue, and leave it when they
 * are aborted. Errors name our own limit, so that users do not blame the vendor.
 */
export function createVendorLimit(
  limiter: VendorLimiter,
  pool: string,
  retryAfterMs: number,
  { setting = `limits.${pool}`, name = pool, capacity }: VendorLimitOptions = {},
): AcquirePermit {
  const most = capacity === undefined ? setting : `${setting} is ${capacity}`;
  const busy = (message: string) =>
    new CallError('over_capacity', `${message}: our own limit of calls at once (${most}).`, {
      field: setting,
      fixes: [fix('raise_setting', { settings: [setting] }), 'Or send fewer at once.'],
      retryAfterMs,
    });
  const full = () => busy(`Too many calls wait for ${name} already`);

  async function enter(signal: AbortSignalLike): Promise<() => void> {
    signal.throwIfAborted();
    const admission = limiter.acquire({ pools: [pool], fairnessKey: pool });
    if (admission.is === 'full') throw full();
    const permit =
      admission.is === 'granted' ? admission.permit : await waited(admission.entry, signal);
    if (!permit) throw full();
    return () => permit.release();
  }

  return Object.assign(enter, {
    queueTimeoutError: () => busy(`No place for a call to ${name} became free in time`),
    learn: (response: RateResponse) => limiter.adaptive?.learn(pool, response, limiter.inUse(pool)),
  });
}

async function waited(place: QueueEntry, signal: AbortSignalLike): Promise<Permit | undefined> {
  const onAbort = () => place.leave();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const permit = await place.permit;
    if (!signal.aborted) return permit;
    permit?.release();
    throw signal.reason;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

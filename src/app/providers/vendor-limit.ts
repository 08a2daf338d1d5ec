import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { fix } from '#core/messages/fixes.ts';
import type { AcquirePermit } from '#providers/openai-compatible/client-options.ts';
import type { Limiter, Permit, QueueEntry } from '#resilience/limiter.ts';

/**
 * Limits concurrent requests to a vendor; the rest wait in a bounded queue, and leave it when they
 * are aborted. Errors name our own limit, so that users do not blame the vendor.
 */
export function createVendorLimit(
  limiter: Limiter,
  pool: string,
  retryAfterMs: number,
  capacity?: number,
): AcquirePermit {
  const setting = `limits.${pool}`;
  const most = capacity === undefined ? setting : `${setting} is ${capacity}`;
  const busy = (message: string) =>
    new CallError('over_capacity', `${message}: our own limit of calls at once (${most}).`, {
      field: setting,
      fixes: [fix('raise_setting', { settings: [setting] }), 'Or send fewer at once.'],
      retryAfterMs,
    });
  const full = () => busy(`Too many calls wait for ${pool} already`);

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
    queueTimeoutError: () => busy(`No place for a call to ${pool} became free in time`),
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

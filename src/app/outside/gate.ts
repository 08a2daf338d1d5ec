import { CallError } from '#core/call-error.ts';
import type { Cancel } from '#core/http.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Gate } from '#providers/wire/wire-options.ts';
import type { Limiter, Permit, Place } from '#resilience/limiter.ts';

/**
 * Lets so many requests through to a vendor at once; the rest wait in a bounded queue, and leave it when they are aborted. That it is
 * our own limit, and which, is told: nobody shall look for the fault at the vendor's.
 */
export function createGate(
  limiter: Limiter,
  pool: string,
  retryAfterMs: number,
  capacity?: number,
): Gate {
  const setting = `limits.${pool}`;
  const most = capacity === undefined ? setting : `${setting} is ${capacity}`;
  const busy = (message: string) =>
    new CallError('over_capacity', `${message}: our own limit of calls at once (${most}).`, {
      field: setting,
      fixes: [fix('raise_setting', { settings: [setting] }), 'Or send fewer at once.'],
      retryAfterMs,
    });
  const full = () => busy(`Too many calls wait for ${pool} already`);

  async function enter(signal: Cancel): Promise<() => void> {
    signal.throwIfAborted();
    const admission = limiter.ask({ pools: [pool], turn: pool });
    if (admission.is === 'full') throw full();
    const permit =
      admission.is === 'granted' ? admission.permit : await waited(admission.place, signal);
    if (!permit) throw full();
    return () => permit.release();
  }

  return Object.assign(enter, {
    tooLong: () => busy(`No place for a call to ${pool} became free in time`),
  });
}

async function waited(place: Place, signal: Cancel): Promise<Permit | undefined> {
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

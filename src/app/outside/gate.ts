import { CallError } from '#core/call-error.ts';
import type { Cancel } from '#core/http.ts';
import type { Gate } from '#providers/wire/wire-options.ts';
import type { Limiter, Permit, Place } from '#resilience/limiter.ts';

/** Lets so many requests through to a vendor at once; the rest wait in a bounded queue, and leave it when they are aborted. */
export function createGate(limiter: Limiter, pool: string, retryAfterMs: number): Gate {
  const full = () =>
    new CallError('over_capacity', `Too many calls wait for ${pool} already.`, { retryAfterMs });
  return async (signal) => {
    signal.throwIfAborted();
    const admission = limiter.ask({ pools: [pool], turn: pool });
    if (admission.is === 'full') throw full();
    const permit =
      admission.is === 'granted' ? admission.permit : await waited(admission.place, signal);
    if (!permit) throw full();
    return () => permit.release();
  };
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

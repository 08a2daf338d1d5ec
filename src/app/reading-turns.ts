import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { fix } from '#core/messages/fixes.ts';
import { createLimiter } from '#resilience/limiter.ts';

/** Runs a read when it is its turn. */
export type ReadingTurns = <T>(read: () => Promise<T>) => Promise<T>;

const MAX_WAITING = 32;
const COME_BACK_MS = 1000;
const ONE_QUEUE = { pools: ['reads'], turn: 'reads' };

/**
 * Long reads go one by one. A page of thousands of rows costs this thread tens of milliseconds, and a thousand of them
 * asked for at once would hold up everybody else for as long as they all take, and fill the memory.
 */
export function createReadingTurns(clock: Clock): ReadingTurns {
  const limiter = createLimiter({ capacity: () => 1, maxWaiting: MAX_WAITING });
  return async (read) => {
    const admission = limiter.ask(ONE_QUEUE);
    if (admission.is === 'full') throw tooMany();
    const permit = admission.is === 'granted' ? admission.permit : await admission.place.permit;
    if (!permit) throw tooMany();
    try {
      return await read();
    } finally {
      // Between two of them everybody else has a turn: a thread that answers at once would leave the loop none.
      clock.after(0, () => permit.release());
    }
  };
}

function tooMany(): CallError {
  return new CallError('over_capacity', 'Too many long reports are asked for at once.', {
    retryAfterMs: COME_BACK_MS,
    fixes: [fix('retry', { afterMs: 1000 }), 'Ask for fewer lines if you can.'],
  });
}

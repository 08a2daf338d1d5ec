import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { remainingMs, signalAt } from '#core/deadline.ts';
import type { Cancel } from '#core/http.ts';
import type { Reader } from '#core/workspace.ts';

/**
 * Work that ends with its caller's patience even where a disk does not answer: what is under way then goes on alone until it
 * looks at the signal, and nobody hears of it.
 */
export async function heeding<T>(
  by: Pick<Reader, 'signal' | 'deadline'>,
  clock: Clock,
  work: (signal: Cancel) => Promise<T>,
): Promise<T> {
  if (remainingMs(by.deadline, clock) === 0) {
    throw new CallError('timeout', 'The deadline of this call has passed.');
  }
  const patience = signalAt(by.deadline, clock, by.signal);
  const { signal } = patience;
  try {
    signal.throwIfAborted();
    const over = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(CallError.from(signal.reason)), { once: true });
    });
    return await Promise.race([work(signal), over]);
  } catch (thrown) {
    throw CallError.from(thrown);
  } finally {
    patience.dispose();
  }
}

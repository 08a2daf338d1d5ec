import { CallError } from '#core/errors/call-error.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import type { ProviderContext } from '#core/llm/provider.ts';

/** The times of one request: to the first word, between two, and in all. */
export interface Pace {
  /** Lets time pass, or throws what ended the wait. */
  pass(ms: number): Promise<void>;
  /** A word came. */
  spoke(): void;
}

export function createPace(
  { signal, deadline, timeouts: patience, wholeMs = Infinity }: ProviderContext,
  delivery: 'stream' | 'whole',
  clock: Clock,
): Pace {
  const begunAt = clock.monotonic();
  let since = begunAt;
  let hasSpoken = false;

  function patienceEnds(): number {
    // A whole answer shows no first word: it has one limit for all of it.
    if (delivery === 'whole') return begunAt + wholeMs;
    if (!patience) return Infinity;
    return since + (hasSpoken ? patience.idleMs : patience.firstTokenMs);
  }

  return {
    async pass(ms) {
      const from = clock.monotonic();
      const ends = patienceEnds();
      const dueMs = Math.max(0, Math.min(deadline.at, ends) - from);
      if (!signal.aborted) await sleep(clock, Math.min(ms, dueMs), signal);
      if (signal.aborted) throw CallError.from(signal.reason);
      if (clock.monotonic() >= deadline.at)
        throw new CallError('timeout', 'The deadline of this call has passed.');
      if (from + ms < ends) return;
      const [errorClass, what] =
        hasSpoken && delivery === 'stream'
          ? (['interrupted', 'Nothing more came.'] as const)
          : (['timeout', 'No first word came.'] as const);
      throw new CallError(errorClass, what);
    },
    spoke() {
      since = clock.monotonic();
      hasSpoken = true;
    },
  };
}

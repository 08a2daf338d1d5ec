import { CallError } from '#core/errors/call-error.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import type { ProviderContext, StreamTimeouts } from '#core/llm/provider.ts';
import { startTimeouts } from '#net/timeouts.ts';

/** The times of one request, by the timers of the product: to the first word, between two, and in all. */
export interface Pace {
  /** The limits of a stream; nothing for a whole answer. */
  readonly limits: StreamTimeouts | undefined;
  /** When the last word came. */
  readonly since: number;
  /** Lets time pass, or throws what ended the wait. */
  pass(ms: number): Promise<void>;
  /** A word came. */
  spoke(): void;
  /** Something else came: the vendor is there. */
  alive(): void;
  /** Whether its own limits, and nothing else, have ended it. */
  readonly ranOut: boolean;
  end(): void;
}

export function createPace(
  { signal, deadline, timeouts, wholeMs }: ProviderContext,
  delivery: 'stream' | 'whole',
  clock: Clock,
): Pace {
  const isStream = delivery === 'stream';
  // A whole answer shows no first word: it has one limit for all of it.
  const whole = wholeMs === undefined ? undefined : { firstTokenMs: wholeMs, idleMs: Infinity };
  const stream = isStream ? timeouts : whole;
  const timers = startTimeouts({ clock, deadline, signal, stream });
  let since = clock.monotonic();
  let hasSpoken = false;
  let ranOut = false;

  function thrown(): CallError {
    if (signal.aborted) return CallError.from(signal.reason);
    if (clock.monotonic() >= deadline.at)
      return new CallError('timeout', 'The deadline of this call has passed.');
    ranOut = true;
    return hasSpoken && isStream
      ? new CallError('interrupted', 'Nothing more came.')
      : new CallError('timeout', 'No first word came.');
  }

  return {
    limits: isStream ? timeouts : undefined,
    get since() {
      return since;
    },
    async pass(ms) {
      const leftMs = Math.max(0, deadline.at - clock.monotonic());
      if (!timers.signal.aborted) await sleep(clock, Math.min(ms, leftMs), timers.signal);
      if (timers.signal.aborted || clock.monotonic() >= deadline.at) throw thrown();
    },
    spoke() {
      since = clock.monotonic();
      hasSpoken = true;
      if (isStream) timers.progress();
    },
    alive: () => timers.alive(),
    get ranOut() {
      return ranOut;
    },
    end: () => timers.dispose(),
  };
}

import type { Clock, Timer } from '#core/clock.ts';
import type { InFlight } from './in-flight.ts';

// Twice this is how long a client may hear nothing. Those that give up after a while of silence allow no less than half a minute.
const SILENCE_MS = 5000;

/** Has every call that its client hears of say now and then that it is under way: one timer for all of a session. */
export interface Breath {
  /** There is such a call. */
  begin(): void;
  end(): void;
}

export function createBreath(clock: Clock, inFlight: InFlight): Breath {
  let timer: Timer | undefined;

  function breathe(): void {
    const heard = inFlight.calls().filter(({ progress }) => progress !== undefined);
    timer = heard.length > 0 ? clock.after(SILENCE_MS, breathe) : undefined;
    for (const { progress } of heard) progress?.breathe(SILENCE_MS);
  }

  return {
    begin: () => void (timer ??= clock.after(SILENCE_MS, breathe)),
    end() {
      timer?.stop();
      timer = undefined;
    },
  };
}

import type { Clock } from '#core/clock.ts';

/** Leave to ask the manager's model once; it is told how that went. */
export interface IntentTurn {
  /** `nothing`: it says nothing of the model, such as that whoever asked has gone. */
  end(how: 'help' | 'miss' | 'nothing'): void;
}

export interface IntentRest {
  /** Never waits; nothing while it rests. */
  take(): IntentTurn | undefined;
}

const MISSES = 3;
const REST_MS = 60_000;

/**
 * A model that is of no help costs everybody the wait for it. After a few misses in a row nobody is kept waiting for a
 * while; then one tries again, and the others hear how that went.
 */
export function createIntentRest(clock: Pick<Clock, 'monotonic'>): IntentRest {
  let misses = 0;
  let until = 0;
  let isTrying = false;

  function note(how: 'help' | 'miss' | 'nothing'): void {
    if (how === 'help') misses = 0;
    if (how !== 'miss') return;
    misses = Math.min(MISSES, misses + 1);
    if (misses === MISSES) until = clock.monotonic() + REST_MS;
  }

  return {
    take() {
      if (misses < MISSES) return { end: note };
      if (isTrying || clock.monotonic() < until) return undefined;
      isTrying = true;
      return {
        end(how) {
          isTrying = false;
          note(how);
        },
      };
    },
  };
}

import { createBoundedMap, type BoundedMap } from '#core/bounded-map.ts';
import type { Clock } from '#core/time/clock.ts';

export interface GuessLimit {
  /** Whether there were no wrong tokens lately, so that lookups can be skipped. */
  readonly isIdle: boolean;
  /** How long this address must wait before it may try another unknown token; 0: not at all. */
  waitMs(address: string): number;
  /** Records a wrong token from an address. */
  refused(address: string, tokenSha256: string): void;
}

interface Guesses {
  /** Remaining wrong tokens before the limit. */
  left: number;
  /** Time of the last refill. */
  at: number;
  /** Digests of wrong tokens: a client that repeats one is misconfigured, not guessing. */
  readonly tried: BoundedMap<string, true>;
}

const BURST = 20;
const REFILL_MS = 3000;
const MAX_ADDRESSES = 1024;
const MAX_TRIED = 256;

/**
 * A token bucket against token guessing: an address may try 20 different wrong tokens at once, then
 * one every 3 seconds.
 */
export function createGuessLimit(clock: Pick<Clock, 'monotonic'>): GuessLimit {
  const addresses = createBoundedMap<string, Guesses>({ maxEntries: MAX_ADDRESSES });

  function refill(address: string, guesses: Guesses): void {
    const now = clock.monotonic();
    const gained = Math.floor((now - guesses.at) / REFILL_MS);
    guesses.left = Math.min(BURST, guesses.left + gained);
    guesses.at += gained * REFILL_MS;
    if (guesses.left === BURST) addresses.delete(address);
  }

  return {
    get isIdle() {
      return addresses.size === 0;
    },

    waitMs(address) {
      const guesses = addresses.get(address);
      if (!guesses) return 0;
      refill(address, guesses);
      return guesses.left > 0 ? 0 : Math.max(1, guesses.at + REFILL_MS - clock.monotonic());
    },

    refused(address, tokenSha256) {
      const known = addresses.get(address);
      if (known) refill(address, known);
      const guesses = known ?? {
        left: BURST,
        at: clock.monotonic(),
        tried: createBoundedMap<string, true>({ maxEntries: MAX_TRIED }),
      };
      addresses.set(address, guesses);
      if (guesses.tried.has(tokenSha256)) return;
      guesses.tried.set(tokenSha256, true);
      guesses.left = Math.max(0, guesses.left - 1);
    },
  };
}

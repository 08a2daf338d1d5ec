import type { Clock } from '#core/time/clock.ts';

/** What a vendor's response says about the account's limits. */
export type CapacitySignal =
  | { readonly is: 'accepted'; readonly pauseMs?: number }
  /** `concurrency`: the limit that the vendor named. */
  | {
      readonly is: 'limited';
      readonly concurrency?: number;
      readonly pauseMs?: number;
    };

/** How many requests to a vendor may run at once, as far as that is known of the account. */
export interface AdaptiveCapacity {
  /** The capacity of a pool now, at most `ceiling`; 0 during a pause. */
  of(pool: string, ceiling: number): number;
  /** Learns from a response that came while so many requests were under way. */
  learn(pool: string, signal: CapacitySignal, inUse: number): void;
  /** Forgets what was learnt of another account. */
  begin(pool: string, account: string): void;
}

interface Learned {
  readonly account: string;
  limit: number;
  /** Whether a refusal was seen: then the limit grows slowly. */
  isKnown: boolean;
  /** Accepted requests since the limit last changed. */
  accepted: number;
  pausedUntil: number;
}

/** A new account may allow a single request at once, most allow many. */
const START = 2;
/** Accepted requests until one more is tried after a refusal. */
const PATIENCE = 20;
/** A vendor's minute, and the longest pause that its headers can ask for. */
const MAX_PAUSE_MS = 60_000;

/**
 * Learns the concurrency of accounts: starts low, grows with accepted requests while all slots are
 * in use, and falls to what a refusal names, or to half.
 */
export function createAdaptiveCapacity(clock: Clock, onChange: () => void): AdaptiveCapacity {
  const pools = new Map<string, Learned>();

  function learnedOf(pool: string, account = ''): Learned {
    const known = pools.get(pool);
    if (known) return known;
    const learned = { account, limit: START, isKnown: false, accepted: 0, pausedUntil: 0 };
    pools.set(pool, learned);
    return learned;
  }

  function pause(learned: Learned, ms: number): void {
    const pauseMs = Math.min(ms, MAX_PAUSE_MS);
    learned.pausedUntil = Math.max(learned.pausedUntil, clock.monotonic() + pauseMs);
    clock.after(pauseMs, onChange);
  }

  return {
    of(pool, ceiling) {
      const { limit, pausedUntil } = learnedOf(pool);
      return clock.monotonic() < pausedUntil ? 0 : Math.min(limit, ceiling);
    },
    learn(pool, signal, inUse) {
      const learned = learnedOf(pool);
      const { pauseMs = 0 } = signal;
      if (pauseMs > 0) pause(learned, pauseMs);
      if (signal.is === 'limited') {
        const named = signal.concurrency ?? Math.floor(inUse / 2);
        learned.limit = Math.max(1, Math.min(named, learned.limit));
        learned.isKnown = true;
        learned.accepted = 0;
        return;
      }
      if (inUse < learned.limit) return;
      learned.accepted += 1;
      if (learned.isKnown && learned.accepted < PATIENCE) return;
      learned.accepted = 0;
      learned.limit += 1;
      onChange();
    },
    begin(pool, account) {
      if (pools.get(pool)?.account === account) return;
      pools.delete(pool);
      learnedOf(pool, account);
    },
  };
}

import { closedState, tripsAt, type BreakerState } from './breaker.ts';
import type { BreakerRules } from './breaker-types.ts';
import { tallyWindow } from './rolling-window.ts';

export interface BreakerEntry {
  readonly key: string;
  readonly part: 'account' | 'model';
  rules: BreakerRules;
  state: BreakerState;
  usedAt: number;
}

export interface BreakerMap {
  readonly rules: BreakerRules;
  isFull(): boolean;
  /** Changes nothing. */
  get(key: string): BreakerEntry | undefined;
  /** The entry, or a new closed one. */
  find(key: string, at: number): BreakerEntry;
  all(): Iterable<BreakerEntry>;
  /** Judges every entry by these rules from now on. */
  changeRules(rules: BreakerRules): void;
  delete(key: string): void;
}

/**
 * Breakers by key, at most `maxEntries`. The least informative, least recently used entry is
 * evicted first.
 */
export function createBreakerMap(
  part: BreakerEntry['part'],
  initialRules: BreakerRules,
  maxEntries: number,
  onForgotten: (breaker: BreakerEntry, at: number) => void,
): BreakerMap {
  const entries = new Map<string, BreakerEntry>();
  let rules = initialRules;

  function makeRoom(at: number): void {
    if (entries.size < maxEntries) return;
    let least: BreakerEntry | undefined;
    let leastWeight = Infinity;
    for (const breaker of entries.values()) {
      const weight = weightOf(breaker, at);
      if (
        least &&
        (weight > leastWeight || (weight === leastWeight && breaker.usedAt >= least.usedAt))
      )
        continue;
      least = breaker;
      leastWeight = weight;
    }
    if (!least) return;
    entries.delete(least.key);
    onForgotten(least, at);
  }

  return {
    get rules() {
      return rules;
    },
    isFull: () => entries.size >= maxEntries,
    get: (key) => entries.get(key),
    find(key, at) {
      const known = entries.get(key);
      if (known) return known;
      makeRoom(at);
      const fresh = { key, part, rules, state: closedState(at), usedAt: at };
      entries.set(key, fresh);
      return fresh;
    },
    all: () => entries.values(),
    changeRules(next) {
      rules = next;
      for (const breaker of entries.values()) breaker.rules = next;
    },
    delete: (key) => void entries.delete(key),
  };
}

/** How much information would be lost by evicting it. */
function weightOf({ state, rules }: BreakerEntry, at: number): number {
  if (state.is !== 'closed') return 2;
  const { failures } = tallyWindow(state.window, at, rules.windowMs);
  return failures > 0 || tripsAt(state, at, rules) > 0 ? 1 : 0;
}

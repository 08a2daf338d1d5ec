import { closedAt, tripsBy, type BreakerState } from './breaker.ts';
import type { BreakerRules } from './breaker-rules.ts';
import { tallyOf } from './rolling-window.ts';

export interface KeptBreaker {
  readonly key: string;
  readonly part: 'account' | 'model';
  readonly rules: BreakerRules;
  state: BreakerState;
  usedAt: number;
}

export interface KeptBreakers {
  readonly rules: BreakerRules;
  isFull(): boolean;
  /** Changes nothing. */
  get(key: string): KeptBreaker | undefined;
  /** As `get`, or a new one that is closed. */
  find(key: string, at: number): KeptBreaker;
  all(): Iterable<KeptBreaker>;
}

/** Breakers by key, and never more than so many: whoever says most and was used last stays. */
export function createKept(
  part: KeptBreaker['part'],
  rules: BreakerRules,
  maxKept: number,
  onForgotten: (breaker: KeptBreaker, at: number) => void,
): KeptBreakers {
  const kept = new Map<string, KeptBreaker>();

  function makeRoom(at: number): void {
    if (kept.size < maxKept) return;
    let least: KeptBreaker | undefined;
    let leastWeight = Infinity;
    for (const breaker of kept.values()) {
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
    kept.delete(least.key);
    onForgotten(least, at);
  }

  return {
    rules,
    isFull: () => kept.size >= maxKept,
    get: (key) => kept.get(key),
    find(key, at) {
      const known = kept.get(key);
      if (known) return known;
      makeRoom(at);
      const fresh = { key, part, rules, state: closedAt(at), usedAt: at };
      kept.set(key, fresh);
      return fresh;
    },
    all: () => kept.values(),
  };
}

/** How much would be forgotten with it. */
function weightOf({ state, rules }: KeptBreaker, at: number): number {
  if (state.is !== 'closed') return 2;
  const { failures } = tallyOf(state.window, at, rules.windowMs);
  return failures > 0 || tripsBy(state, at, rules) > 0 ? 1 : 0;
}

import { openReason } from './breaker-reason.ts';
import type { BreakerView } from './breaker-words.ts';
import { settled, waitMs } from './breaker.ts';
import type { KeptBreaker } from './kept-breakers.ts';
import { tallyOf } from './rolling-window.ts';

/** An open one whose time is over lets a probe through, which is what half-open means to whoever looks. */
export function viewOf(breaker: KeptBreaker | undefined, key: string, at: number): BreakerView {
  if (!breaker) return { key, is: 'closed', calls: 0, failures: 0 };
  const { rules } = breaker;
  const state = settled(breaker.state, at);
  if (state.is === 'closed') {
    const { calls, failures } = tallyOf(state.window, at, rules.windowMs);
    return { key, is: 'closed', calls, failures };
  }
  const leftMs = waitMs(state, at, rules);
  const { calls, failures } = state.trouble.tally;
  return {
    key,
    is: state.is === 'open' && leftMs > 0 ? 'open' : 'half_open',
    reason: openReason(key, state, at, rules),
    retryInMs: Math.ceil(leftMs),
    calls,
    failures,
  };
}

const BADNESS = { closed: 0, half_open: 1, open: 2 } as const;

export function isWorse(one: BreakerView, other: BreakerView): boolean {
  if (one.is !== other.is) return BADNESS[one.is] > BADNESS[other.is];
  return (one.retryInMs ?? 0) > (other.retryInMs ?? 0);
}

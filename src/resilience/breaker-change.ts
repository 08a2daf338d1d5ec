import type { Json } from '#core/json.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { openReason } from './breaker-reason.ts';
import type { BreakerState } from './breaker.ts';
import type { KeptBreaker } from './kept-breakers.ts';
import { tallyOf, type ClassCounts } from './rolling-window.ts';
import { toSaved } from './saved-breaker.ts';

/** A breaker opened, let a probe through, closed, or opened again. */
export interface BreakerChange {
  readonly key: string;
  readonly from: BreakerState['is'];
  readonly to: BreakerState['is'];
  readonly reason: Reason;
  /** What was seen when it opened. */
  readonly calls: number;
  readonly failures: number;
  readonly classes: ClassCounts;
  /** How long it rests; only of one that is open. */
  readonly coolOffMs?: number;
  /** What `saved` takes back. */
  readonly state: Json;
}

export function changeOf(
  { key, state, rules }: KeptBreaker,
  from: BreakerState['is'],
  at: number,
): BreakerChange {
  const { calls, failures, classes } =
    state.is === 'closed' ? tallyOf(state.window, at, rules.windowMs) : state.trouble.tally;
  return {
    key,
    from,
    to: state.is,
    reason:
      state.is === 'open'
        ? openReason(key, state, at, rules)
        : reason('breaker_changed', { key, to: state.is }),
    calls,
    failures,
    classes,
    ...(state.is === 'open' && { coolOffMs: state.coolOffMs }),
    state: toSaved(state, at),
  };
}

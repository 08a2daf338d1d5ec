import type { ErrorClass } from '#core/errors/error-class.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { expireProbes, waitMs, type HalfOpen, type Open } from './breaker.ts';
import type { BreakerEntry } from './breaker-map.ts';
import type { BreakerRules, BreakerView } from './breaker-types.ts';
import { tallyWindow, type ClassCounts } from './rolling-window.ts';

/** Why a breaker is not closed. */
export function describeOpen(
  key: string,
  state: Open | HalfOpen,
  at: number,
  rules: BreakerRules,
): Reason {
  const { how, class: errorClass, tally } = state.trouble;
  const isMany = how === 'window' || how === 'row';
  const retryInMs = Math.ceil(waitMs(state, at, rules));
  return reason('breaker_open', {
    key,
    how,
    classes: isMany ? byFrequency(tally.classes) : [errorClass],
    failures: how === 'row' ? rules.failuresInRow : tally.failures,
    calls: tally.calls,
    windowMs: rules.windowMs,
    state: retryInMs === 0 ? 'probe_next' : state.is === 'open' ? 'resting' : 'probing',
    retryInMs,
  });
}

function byFrequency(classes: ClassCounts): readonly ErrorClass[] {
  return Object.entries(classes)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name]) => name as ErrorClass);
}

/**
 * A breaker as reports show it. An open one whose cool-down is over counts as half-open, as it lets
 * a probe through.
 */
export function toBreakerView(
  breaker: BreakerEntry | undefined,
  key: string,
  at: number,
): BreakerView {
  if (!breaker) return { key, is: 'closed', calls: 0, failures: 0 };
  const { rules } = breaker;
  const state = expireProbes(breaker.state, at);
  if (state.is === 'closed') {
    const { calls, failures } = tallyWindow(state.window, at, rules.windowMs);
    return { key, is: 'closed', calls, failures };
  }
  const leftMs = waitMs(state, at, rules);
  const { calls, failures } = state.trouble.tally;
  return {
    key,
    is: state.is === 'open' && leftMs > 0 ? 'open' : 'half_open',
    reason: describeOpen(key, state, at, rules),
    retryInMs: Math.ceil(leftMs),
    calls,
    failures,
  };
}

const BADNESS = { closed: 0, half_open: 1, open: 2 } as const;

export function isWorseView(one: BreakerView, other: BreakerView): boolean {
  if (one.is !== other.is) return BADNESS[one.is] > BADNESS[other.is];
  return (one.retryInMs ?? 0) > (other.retryInMs ?? 0);
}

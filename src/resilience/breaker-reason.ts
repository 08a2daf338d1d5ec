import type { ErrorClass } from '#core/error-class.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { waitMs, type HalfOpen, type Open } from './breaker.ts';
import type { BreakerRules } from './breaker-rules.ts';
import type { ClassCounts } from './rolling-window.ts';

/** Why a breaker is not closed. */
export function openReason(
  key: string,
  state: Open | HalfOpen,
  at: number,
  rules: BreakerRules,
): Reason {
  const { how, class: errorClass, tally } = state.trouble;
  const isMany = how === 'window' || how === 'row';
  const retryInMs = waitMs(state, at, rules);
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

/** The most frequent first. */
function byFrequency(classes: ClassCounts): readonly ErrorClass[] {
  return Object.entries(classes)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name]) => name as ErrorClass);
}

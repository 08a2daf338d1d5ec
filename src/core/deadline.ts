import { CallError } from './call-error.ts';
import { Canceller } from './canceller.ts';
import type { Clock, Timer } from './clock.ts';
import type { Cancel } from './http.ts';

/**
 * The moment by which a call must be answered; every attempt of the call shares it. It stands on the monotonic clock,
 * so setting the machine's time neither ends nor prolongs a call; and it means nothing outside this process.
 */
export interface Deadline {
  /** As `clock.monotonic()` tells the time. It may move to later while somebody waits: a timer that comes looks again. */
  readonly at: number;
}

type Steady = Pick<Clock, 'monotonic'>;

export function deadlineIn(clock: Steady, ms: number): Deadline {
  return { at: clock.monotonic() + ms };
}

export function remainingMs(deadline: Deadline, clock: Steady): number {
  return Math.max(0, deadline.at - clock.monotonic());
}

export function earlier(a: Deadline, b: Deadline): Deadline {
  return a.at <= b.at ? a : b;
}

/** Calls `then` once, this long after the deadline, wherever that has moved to by then. */
export function afterDeadline(
  deadline: Deadline,
  clock: Clock,
  afterMs: number,
  then: () => void,
): Timer {
  const look = () => clock.after(remainingMs(deadline, clock) + afterMs, due);
  let lookedAt = deadline.at;
  const due = () => {
    if (deadline.at <= lookedAt) return then();
    lookedAt = deadline.at;
    timer = look();
  };
  let timer = look();
  return { stop: () => timer.stop() };
}

interface DeadlineSignal {
  readonly signal: Cancel;
  /** Call when the work is over: the timer and the listener on the parent go. */
  dispose(): void;
}

/** A signal that aborts with `timeout` at the deadline, or with the parent's own reason before it. */
export function signalAt(deadline: Deadline, clock: Clock, parent?: Cancel): DeadlineSignal {
  const canceller = new Canceller();
  const onParent = () => canceller.abort(parent?.reason);
  const timer = afterDeadline(deadline, clock, 0, () =>
    canceller.abort(new CallError('timeout', 'The deadline of this call has passed.')),
  );
  if (parent?.aborted) onParent();
  else parent?.addEventListener('abort', onParent, { once: true });
  return {
    signal: canceller,
    dispose() {
      timer.stop();
      parent?.removeEventListener('abort', onParent);
    },
  };
}

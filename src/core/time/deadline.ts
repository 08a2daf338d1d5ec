import { CallError } from '../errors/call-error.ts';
import { LightAbortController, type AbortSignalLike } from '../net/abort.ts';
import type { Clock, Timer } from './clock.ts';

/**
 * The time by which a call must be settled, shared by all its attempts. It uses the monotonic
 * clock, so changing the machine's time does not affect it, and it has no meaning outside this
 * process.
 */
export interface Deadline {
  /** In `clock.monotonic()` time. It may move to later, so a timer that fires checks it again. */
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

/** Calls `then` once, this long after the deadline, following it if it moves. */
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
  readonly signal: AbortSignalLike;
  /** Call when the work has ended: removes the timer and the listener on the parent. */
  dispose(): void;
}

/** A signal that aborts with `timeout` at the deadline, or earlier with the parent's reason. */
export function signalAt(
  deadline: Deadline,
  clock: Clock,
  parent?: AbortSignalLike,
): DeadlineSignal {
  const controller = new LightAbortController();
  const onParent = () => controller.abort(parent?.reason);
  const timer = afterDeadline(deadline, clock, 0, () =>
    controller.abort(new CallError('timeout', 'The deadline of this call has passed.')),
  );
  if (parent?.aborted) onParent();
  else parent?.addEventListener('abort', onParent, { once: true });
  return {
    signal: controller,
    dispose() {
      timer.stop();
      parent?.removeEventListener('abort', onParent);
    },
  };
}

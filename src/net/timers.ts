import { CallError } from '#core/call-error.ts';
import type { Clock, Timer } from '#core/clock.ts';
import type { Deadline } from '#core/deadline.ts';
import type { Cancel } from '#core/http.ts';
import type { Patience } from '#core/provider.ts';
import { allowListeners } from './allow-listeners.ts';
import { Canceller } from '#core/canceller.ts';

/** The longest that a timer of the machine can wait; it then looks again. */
const LONGEST_MS = 2 ** 31 - 1;

export interface TimersOptions {
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly patience?: Patience | undefined;
  /** How long it may stand in line before it begins, and what is told when that was too long. */
  readonly line?: { readonly ms: number; tooLong(): CallError } | undefined;
  /** The caller's; its reason is passed on. */
  readonly signal: Cancel;
}

export interface Timers {
  /** Aborts with the parent's reason, or with a `timeout` that says what was waited for. */
  readonly signal: Cancel;
  /** It stands in line no more. */
  admitted(): void;
  /** From now on a token is waited for, and no longer than this. */
  expect(patience: Patience): void;
  /** Something came: text, a thought, a tool call. For every one of them, so it only notes the time. */
  progress(): void;
  /** Nobody wants the rest: what is under way ends. */
  stop(): void;
  /** When the work is over: the timer and the listener go. */
  dispose(): void;
}

/** Standing in line, first token, silence and deadline, with one timer for all. */
export function startTimers({
  clock,
  deadline,
  signal: parent,
  patience: given,
  line,
}: TimersOptions): Timers {
  const canceller = new Canceller();
  let patience = given;
  let startedAt = clock.monotonic();
  let lineEnds = line ? startedAt + line.ms : Infinity;
  let lastAt: number | undefined;
  let timer: Timer | undefined;
  let looksAt = Infinity;

  const patienceEnds = () => {
    if (!patience) return Infinity;
    return lastAt === undefined ? startedAt + patience.firstTokenMs : lastAt + patience.idleMs;
  };

  function look(): void {
    const now = clock.monotonic();
    const due = Math.min(deadline.at, lineEnds, patienceEnds());
    if (now >= due) return abort(whatRanOut(due));
    const waitMs = Math.min(due - now, LONGEST_MS);
    looksAt = now + waitMs;
    timer = clock.after(waitMs, look);
  }

  /** A timer that comes too early looks again, so only what is due before it is worth another. */
  function lookInTime(): void {
    if (!timer || patienceEnds() >= looksAt) return;
    timer.stop();
    look();
  }

  function whatRanOut(due: number): CallError {
    if (line && due === lineEnds && due < deadline.at) return line.tooLong();
    if (due === deadline.at || !patience) {
      return new CallError('timeout', 'The deadline of this call has passed.');
    }
    return new CallError(
      'timeout',
      lastAt === undefined
        ? `No first token within ${inSeconds(patience.firstTokenMs)}.`
        : `Nothing for ${inSeconds(patience.idleMs)} after the answer had begun.`,
    );
  }

  function abort(reason: unknown): void {
    dispose();
    canceller.abort(reason);
  }

  function dispose(): void {
    timer?.stop();
    timer = undefined;
    parent.removeEventListener('abort', onParent);
  }

  const onParent = () => abort(parent.reason);
  if (parent.aborted) onParent();
  else {
    allowListeners(parent);
    parent.addEventListener('abort', onParent);
    look();
  }

  return {
    signal: canceller,
    admitted() {
      lineEnds = Infinity;
    },
    expect(wanted) {
      patience = wanted;
      startedAt = clock.monotonic();
      lookInTime();
    },
    progress() {
      const isFirst = lastAt === undefined;
      lastAt = clock.monotonic();
      // Silence may be due before the first token would have been.
      if (isFirst) lookInTime();
    },
    stop: () => abort(new CallError('cancelled', 'Nobody waits for the rest of the answer.')),
    dispose,
  };
}

function inSeconds(ms: number): string {
  const seconds = Number((ms / 1000).toFixed(ms < 1000 ? 3 : 1));
  return `${seconds} second${seconds === 1 ? '' : 's'}`;
}

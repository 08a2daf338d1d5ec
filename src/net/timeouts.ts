import { setMaxListeners } from 'node:events';
import { CallError } from '#core/errors/call-error.ts';
import type { StreamTimeouts } from '#core/llm/provider.ts';
import { LightAbortController, type AbortSignalLike } from '#core/net/abort.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { Deadline } from '#core/time/deadline.ts';

/** The longest delay of a system timer; after it the timer is set again. */
const LONGEST_MS = 2 ** 31 - 1;

interface RequestTimeoutOptions {
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly stream?: StreamTimeouts | undefined;
  /**
   * How long the request may wait for a permit (default: until the deadline), and the error when
   * that was too long.
   */
  readonly queue?: { readonly ms?: number | undefined; tooLong(): CallError } | undefined;
  /** The caller's signal; its reason is passed on. */
  readonly signal: AbortSignalLike;
}

interface RequestTimeouts {
  /** Aborts with the parent's reason, or with a `timeout` that names what ran out. */
  readonly signal: AbortSignalLike;
  /** The request has its permit: the queue timeout ends. */
  admitted(): void;
  /** Starts the timeouts of the stream: first token, then silence. */
  expect(stream: StreamTimeouts): void;
  /** Text, reasoning or a tool call arrived. Called for each of them, so it only notes the time. */
  progress(): void;
  /**
   * Something else arrived, such as a keep-alive comment: the vendor is there, but silence still
   * ends after the limit of the first token.
   */
  alive(): void;
  /** Aborts the request: the rest is not needed. */
  stop(): void;
  /** Removes the timer and the listener when the request is over. */
  dispose(): void;
}

/** The timeouts of one request (queue, first token, silence, deadline) with a single timer. */
export function startTimeouts({
  clock,
  deadline,
  signal: parent,
  stream: initial,
  queue,
}: RequestTimeoutOptions): RequestTimeouts {
  const canceller = new LightAbortController();
  let stream = initial;
  let startedAt = clock.monotonic();
  let queueEnds = startedAt + (queue?.ms ?? Infinity);
  let isQueued = queue !== undefined;
  let lastAt: number | undefined;
  /** When the vendor last gave a sign of life without content. */
  let aliveAt = -Infinity;
  let timer: Timer | undefined;
  let looksAt = Infinity;

  const streamEnds = () => {
    if (!stream) return Infinity;
    const { firstTokenMs, idleMs } = stream;
    if (lastAt === undefined) return startedAt + firstTokenMs;
    return Math.min(lastAt + Math.max(idleMs, firstTokenMs), Math.max(lastAt, aliveAt) + idleMs);
  };

  function look(): void {
    const now = clock.monotonic();
    const due = Math.min(deadline.at, queueEnds, streamEnds());
    if (now >= due) return abort(whatRanOut(due));
    const waitMs = Math.min(due - now, LONGEST_MS);
    looksAt = now + waitMs;
    timer = clock.after(waitMs, look);
  }

  /**
   * Resets the timer only when something is due before it; a timer that fires too early sets itself
   * again.
   */
  function lookInTime(): void {
    if (!timer || streamEnds() >= looksAt) return;
    timer.stop();
    look();
  }

  function whatRanOut(due: number): CallError {
    // The vendor was not asked, so it is not its timeout.
    if (queue && isQueued && due > startedAt) return queue.tooLong();
    if (due === deadline.at || !stream) {
      return new CallError('timeout', 'The deadline of this call has passed.');
    }
    const awaited = stream.idleMs === Infinity ? 'answer' : 'first token';
    return new CallError(
      'timeout',
      lastAt === undefined
        ? `No ${awaited} within ${inSeconds(stream.firstTokenMs)}.`
        : `Nothing for ${inSeconds(due - lastAt)} after the answer had begun.`,
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
      queueEnds = Infinity;
      isQueued = false;
    },
    expect(wanted) {
      stream = wanted;
      startedAt = clock.monotonic();
      lookInTime();
    },
    progress() {
      const isFirst = lastAt === undefined;
      lastAt = clock.monotonic();
      // The silence timeout may be due before the first-token timeout.
      if (isFirst) lookInTime();
    },
    alive() {
      aliveAt = clock.monotonic();
    },
    stop: () => abort(new CallError('cancelled', 'No caller waits for the rest of the answer.')),
    dispose,
  };
}

function inSeconds(ms: number): string {
  const seconds = Number((ms / 1000).toFixed(ms < 1000 ? 3 : 1));
  return `${seconds} second${seconds === 1 ? '' : 's'}`;
}

/**
 * Lifts Node's limit of ten listeners on an abort signal: one caller may have any number of
 * requests under way.
 */
export function allowListeners(signal: AbortSignalLike): void {
  if (signal instanceof AbortSignal) setMaxListeners(0, signal);
}

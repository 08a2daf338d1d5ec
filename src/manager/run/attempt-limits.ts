import type { Clock } from '#core/time/clock.ts';
import { deadlineIn, earlier, remainingMs, type Deadline } from '#core/time/deadline.ts';
import type { ProviderContext, StreamTimeouts } from '#core/llm/provider.ts';

/** Share of the remaining time until the first token, while another candidate is left. */
const FIRST_TOKEN_SHARE = 0.5;
/** A non-streamed answer has no first token, so it gets a little more time. */
const WHOLE_SHARE = 0.6;
const WHOLE_FACTOR = 2;
/** The minimum time of an attempt. */
const FAIR_MS = 2000;
/** Time reserved to report the outcome before the call's own deadline. */
const REPORT_MS = 500;
const REPORT_SHARE = 0.05;

/**
 * The deadline of an ask: a little before the call's, so that its failure can be reported; earlier
 * if the request has its own timeout.
 */
export function askDeadline(call: Deadline, clock: Clock, timeoutMs?: number): Deadline {
  const reportMs = Math.min(REPORT_MS, remainingMs(call, clock) * REPORT_SHARE);
  const last = {
    // Follows the call's deadline, which is extended when it becomes a job.
    get at() {
      return call.at - reportMs;
    },
  };
  return timeoutMs === undefined ? last : earlier(deadlineIn(clock, timeoutMs), last);
}

/** The time limits of one attempt, as a provider takes them. */
export type AttemptLimits = Pick<ProviderContext, 'deadline' | 'timeouts' | 'queueMs'>;

/** The longest wait in a provider's queue while another candidate may be free. */
const QUEUE_WAIT_MS = 2000;
/**
 * A request with more time than any inline call is a job, which waits longer for the best provider.
 */
const LONGEST_CALL_MS = 600_000;
const QUEUE_WAIT_SHARE = 0.1;

function queueWaitMs(leftMs: number): number {
  return Math.max(QUEUE_WAIT_MS, (leftMs - LONGEST_CALL_MS) * QUEUE_WAIT_SHARE);
}

/**
 * The time limits of one attempt. A stream that has started may continue until the deadline: only
 * silence ends it early.
 */
export function attemptLimits(
  deadline: Deadline,
  timeouts: StreamTimeouts,
  options: { readonly delivery: 'stream' | 'whole'; readonly hasFallback: boolean },
  clock: Clock,
): AttemptLimits {
  if (!options.hasFallback) return { deadline, timeouts };
  const left = remainingMs(deadline, clock);
  if (options.delivery === 'whole') {
    const share = Math.min(left * WHOLE_SHARE, timeouts.firstTokenMs * WHOLE_FACTOR);
    const own = deadlineIn(clock, Math.max(FAIR_MS, share));
    return { deadline: earlier(own, deadline), timeouts, queueMs: queueWaitMs(left) };
  }
  const firstTokenMs = Math.min(timeouts.firstTokenMs, Math.max(FAIR_MS, left * FIRST_TOKEN_SHARE));
  return { deadline, timeouts: { ...timeouts, firstTokenMs }, queueMs: queueWaitMs(left) };
}

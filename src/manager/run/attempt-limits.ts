import type { Clock } from '#core/time/clock.ts';
import { deadlineIn, earlier, remainingMs, type Deadline } from '#core/time/deadline.ts';
import type { ProviderContext, StreamTimeouts } from '#core/llm/provider.ts';
import { totalMs } from '#models/timeouts.ts';

/** Share of the remaining time until the first token, while another candidate is left. */
const FIRST_TOKEN_SHARE = 0.5;
/** What is left for the other candidates of a call that has more time than that. */
const NEXT_CANDIDATE_MS = 120_000;
/** The longest that a call is given for the sake of its first candidate. */
const MAX_CALL_MS = 900_000;
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
  const last = new DeadlineBefore(call, reportMs);
  return timeoutMs === undefined ? last : earlier(deadlineIn(clock, timeoutMs), last);
}

/** Follows the call's deadline, which is extended when it becomes a job. */
class DeadlineBefore implements Deadline {
  readonly #call: Deadline;
  readonly #earlierMs: number;

  constructor(call: Deadline, earlierMs: number) {
    this.#call = call;
    this.#earlierMs = earlierMs;
  }

  get at(): number {
    return this.#call.at - this.#earlierMs;
  }
}

/**
 * How long a call should take at most: as long as its first candidate may, and the share of the
 * next one.
 */
export function callTimeMs(
  first: StreamTimeouts,
  { hasFallback }: Pick<AttemptConditions, 'hasFallback'>,
): number {
  const share = hasFallback ? NEXT_CANDIDATE_MS : 0;
  return Math.min(totalMs(first) + share, MAX_CALL_MS);
}

/** Bytes of an upload for each millisecond, on a slow line. */
const SLOW_BYTES_PER_MS = 100;

export interface SupplyConditions extends Pick<AttemptConditions, 'hasFallback'> {
  /** What is uploaded. */
  readonly bytes: number;
}

/**
 * Until when documents are supplied: as long as a silent vendor is waited for and a slow line takes,
 * and so that a candidate that is left has time as well.
 */
export function supplyDeadline(
  deadline: Deadline,
  { firstTokenMs }: StreamTimeouts,
  { hasFallback, bytes }: SupplyConditions,
  clock: Clock,
): Deadline {
  const left = remainingMs(deadline, clock);
  const share = hasFallback ? Math.max(left * FIRST_TOKEN_SHARE, left - NEXT_CANDIDATE_MS) : left;
  const most = firstTokenMs * WHOLE_FACTOR + bytes / SLOW_BYTES_PER_MS;
  return earlier(deadlineIn(clock, Math.max(FAIR_MS, Math.min(share, most))), deadline);
}

/** The time limits of one attempt, as a provider takes them. */
export type AttemptLimits = Pick<ProviderContext, 'deadline' | 'timeouts' | 'queueMs' | 'wholeMs'>;

/** The longest wait in a provider's queue while another provider may be free. */
const QUEUE_WAIT_MS = 2000;
/**
 * A request with more time than any inline call is a job, which waits longer for the best provider.
 */
const LONGEST_CALL_MS = 600_000;
const QUEUE_WAIT_SHARE = 0.1;

function queueWaitMs(leftMs: number): number {
  return Math.max(QUEUE_WAIT_MS, (leftMs - LONGEST_CALL_MS) * QUEUE_WAIT_SHARE);
}

export interface AttemptConditions {
  readonly delivery: 'stream' | 'whole';
  /** Whether a candidate beside the extractive fallback is left. */
  readonly hasFallback: boolean;
  /**
   * `short`: another provider may have a free slot. The provider's other models wait in the same
   * queue, so they do not count.
   */
  readonly queue: 'short' | 'whole_time';
  /** How long requests like this one usually take to their first token, where that is known. */
  readonly usualMs?: number | undefined;
}

/** A model is given this many times its usual time to the first token, and at least this long. */
const USUAL_FACTOR = 8;
const LEAST_USUAL_MS = 20_000;
const LEAST_USUAL_WHOLE_MS = 60_000;

/** The longest wait for a model whose usual time is known. */
function usualLimitMs({ usualMs, delivery }: AttemptConditions): number {
  if (usualMs === undefined) return Infinity;
  const least = delivery === 'whole' ? LEAST_USUAL_WHOLE_MS : LEAST_USUAL_MS;
  return Math.max(least, usualMs * USUAL_FACTOR);
}

/**
 * The time limits of one attempt. A stream that has started may continue until the deadline: only
 * silence ends it early. The wait in a queue takes nothing from the time for the answer.
 */
export function attemptLimits(
  deadline: Deadline,
  timeouts: StreamTimeouts,
  conditions: AttemptConditions,
  clock: Clock,
): AttemptLimits {
  const { delivery, hasFallback, queue } = conditions;
  const left = remainingMs(deadline, clock);
  const wait = queue === 'short' ? { queueMs: queueWaitMs(left) } : {};
  if (!hasFallback) return { deadline, timeouts, ...wait };
  if (delivery === 'whole') {
    const most = Math.max(left * WHOLE_SHARE, left - NEXT_CANDIDATE_MS);
    const usual = usualLimitMs(conditions);
    const share = Math.min(most, timeouts.firstTokenMs * WHOLE_FACTOR, usual);
    const wholeMs = Math.max(FAIR_MS, share);
    // Also binds what a provider asks its server before the answer, such as which models it has.
    const own = wait.queueMs === undefined ? deadline : deadlineIn(clock, wholeMs + wait.queueMs);
    return { deadline: earlier(own, deadline), timeouts, wholeMs, ...wait };
  }
  const most = Math.max(FAIR_MS, left * FIRST_TOKEN_SHARE, left - NEXT_CANDIDATE_MS);
  const firstTokenMs = Math.min(timeouts.firstTokenMs, most, usualLimitMs(conditions));
  return { deadline, timeouts: { ...timeouts, firstTokenMs }, ...wait };
}

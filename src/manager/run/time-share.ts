import type { Clock } from '#core/clock.ts';
import { deadlineIn, earlier, remainingMs, type Deadline } from '#core/deadline.ts';
import type { Patience } from '#core/provider.ts';

/** So much of what is left may pass before the first word, while somebody else could still be asked. */
const FIRST_WORD_SHARE = 0.5;
/** A whole answer shows no first word, so it gets a little more, but not much more than a first word would. */
const WHOLE_SHARE = 0.6;
const WHOLE_PATIENCE = 2;
/** Less than this is no fair chance for anybody. */
const FAIR_MS = 2000;
/** What remains for telling how it went before the call itself gives up. */
const LAST_WORD_MS = 500;
const LAST_WORD_SHARE = 0.05;

/** A little before the call's own, so that its failure can say who was asked; sooner where the request has a limit of its own. */
export function askDeadline(call: Deadline, clock: Clock, timeoutMs?: number): Deadline {
  const lastWordMs = Math.min(LAST_WORD_MS, remainingMs(call, clock) * LAST_WORD_SHARE);
  const last = {
    // It moves with the call's, which gets more time when it becomes a job.
    get at() {
      return call.at - lastWordMs;
    },
  };
  return timeoutMs === undefined ? last : earlier(deadlineIn(clock, timeoutMs), last);
}

export interface TimeShare {
  readonly deadline: Deadline;
  readonly patience: Patience;
  readonly lineMs?: number;
}

/** Longer than this nobody stands in line at one vendor while another may be free. */
const LINE_MS = 2000;
/** Who has more time than any call has is a job: it rather waits for the vendor that suits, for a part of what is beyond. */
const LONGEST_CALL_MS = 600_000;
const LINE_SHARE = 0.1;

function lineOf(leftMs: number): number {
  return Math.max(LINE_MS, (leftMs - LONGEST_CALL_MS) * LINE_SHARE);
}

/**
 * How long one of several may take. A stream that has begun to speak may go on until the deadline: silence ends it, not
 * its length.
 */
export function shareTime(
  deadline: Deadline,
  patience: Patience,
  about: { readonly delivery: 'stream' | 'whole'; readonly othersLeft: 'yes' | 'no' },
  clock: Clock,
): TimeShare {
  if (about.othersLeft === 'no') return { deadline, patience };
  const left = remainingMs(deadline, clock);
  if (about.delivery === 'whole') {
    const share = Math.min(left * WHOLE_SHARE, patience.firstTokenMs * WHOLE_PATIENCE);
    const own = deadlineIn(clock, Math.max(FAIR_MS, share));
    return { deadline: earlier(own, deadline), patience, lineMs: lineOf(left) };
  }
  const firstTokenMs = Math.min(patience.firstTokenMs, Math.max(FAIR_MS, left * FIRST_WORD_SHARE));
  return { deadline, patience: { ...patience, firstTokenMs }, lineMs: lineOf(left) };
}

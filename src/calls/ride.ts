import type { CallAnswer, CallRequest } from '#core/calls.ts';
import type { Timer } from '#core/clock.ts';
import type { Id } from '#core/ids.ts';
import type { RequestMetadata } from '#core/request-metadata.schema.ts';
import type { Draft } from './prepare.ts';

/** One call, from its start to its one answer. Those that share their work ride in the same flight. */
export interface Ride {
  readonly reqId: Id<'req'>;
  readonly request: CallRequest;
  readonly draft: Draft;
  readonly metadata: RequestMetadata;
  /** These two as `clock.monotonic()` tells the time. */
  readonly startedAt: number;
  deadlineAt: number;
  timeoutMs: number;
  readonly resolve: (answer: CallAnswer) => void;
  /** The call that the work was begun for, when that was another one. */
  sharedWith: string | undefined;
  /** Until then it is given up. */
  timer: Timer | undefined;
}

import { CallError } from '#core/call-error.ts';
import { duration } from '#core/duration.ts';
import { idTime, type Id } from '#core/ids.ts';
import { fix } from '#core/messages/fixes.ts';

export interface Sought {
  readonly id: Id<'job'>;
  readonly field: string;
  /** When it is sought. */
  readonly nowMs: number;
  readonly keptDays: number | undefined;
}

const DAY_S = 86_400;

/** Does something with a job; if there is none by this id, says what may have become of it. */
export async function withJob<T>(sought: Sought, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof CallError && thrown.class === 'not_found') throw missing(sought);
    throw thrown;
  }
}

/** An id tells when it was made: what is older than anything that is kept was removed, if it ever was there. */
function missing({ id, field, nowMs, keptDays = 0 }: Sought): CallError {
  const ageS = (nowMs - idTime(id)) / 1000;
  const isExpired = keptDays > 0 && ageS > keptDays * DAY_S;
  const message = isExpired
    ? `Job ${id} is no longer kept: it was begun ${duration(ageS)} ago, and jobs go ${duration(keptDays * DAY_S)} after they are over.`
    : `You have no job ${id}.`;
  return new CallError('not_found', message, { field, fixes: [fix('list_jobs')] });
}

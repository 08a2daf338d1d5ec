import { jobUri, type Jobs } from '#core/calls/jobs.ts';
import { resultUri, type Results } from '#core/calls/results.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { idTime, isId, type Id } from '#core/ids.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';
import type { Clock } from '#core/time/clock.ts';

/** Dependencies of the tools for jobs and long results. */
export interface JobToolDeps {
  readonly jobs: Jobs;
  readonly results: Results;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** How long finished jobs are stored; 0 or absent: unknown. */
  readonly retentionDays?: number;
  /** Token limit of one answer for the client. */
  readonly maxTokens?: number;
}

const MAX_SHOWN_CHARS = 64;
/** Longer than any id or URI of EX-AI; longer input is refused unread. */
export const MAX_ID_CHARS = 200;

/** Parses the id of a job, given as id or as resource URI: a model has seen both. */
export function readJobId(given: string, field: string): Id<'job'> {
  const id = without(jobUri(''), given);
  if (isId(id, 'job')) return id;
  const what = { argument: field, kind: 'job', given: shown(given) } as const;
  throw codedError('validation', reason('invalid_id', what), {
    field,
    fixes: isId(id, 'res')
      ? ['This is a long result.', fix('read_result', { id })]
      : [`It is ${shape('job')}, as in the answer that was handed off.`, fix('list_jobs')],
  });
}

export function readResultId(given: string, field: string): Id<'res'> {
  const id = without(resultUri(''), given);
  if (isId(id, 'res')) return id;
  const what = { argument: field, kind: 'result', given: shown(given) } as const;
  throw codedError('validation', reason('invalid_id', what), {
    field,
    fixes: isId(id, 'job')
      ? ['This is a job.', fix('job_result', { id })]
      : [`It is ${shape('res')}, as in the answer that was too long.`],
  });
}

function shape(kind: 'job' | 'res'): string {
  return `${kind}_ and 22 letters and digits`;
}

function without(prefix: string, given: string): string {
  const id = given.trim();
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

function shown(given: string): string {
  return oneLine(given, MAX_SHOWN_CHARS);
}

interface JobLookup {
  readonly id: Id<'job'>;
  readonly field: string;
  /** Time of the lookup. */
  readonly nowMs: number;
  readonly keptDays: number | undefined;
}

const DAY_S = 86_400;

/** Runs work on a job. If the job does not exist, the error says what may have happened to it. */
export async function withJob<T>(sought: JobLookup, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof CallError && thrown.class === 'not_found') throw missing(sought);
    throw thrown;
  }
}

/**
 * The error for an unknown job. An id contains its creation time, so one older than the retention
 * has expired.
 */
function missing({ id, field, nowMs, keptDays = 0 }: JobLookup): CallError {
  const ageS = (nowMs - idTime(id)) / 1000;
  const isExpired = keptDays > 0 && ageS > keptDays * DAY_S;
  const what = { id, ...(isExpired && { expired: { ageS: Math.round(ageS), keptDays } }) };
  return codedError('not_found', reason('unknown_job', what), { field, fixes: [fix('list_jobs')] });
}

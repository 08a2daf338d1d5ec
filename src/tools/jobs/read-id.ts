import { codedError } from '#core/coded-error.ts';
import { isId, type Id } from '#core/ids.ts';
import { jobUri } from '#core/jobs.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/one-line.ts';
import { resultUri } from '#core/results.ts';

const MAX_SHOWN_CHARS = 64;
/** Longer than any id or address of ours: what is sent in their place is not looked at any further. */
export const MAX_ID_CHARS = 200;

/** The id of a job, as such or as its address: a model has seen both. */
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

import { CallError } from '#core/call-error.ts';
import { isId, type Id } from '#core/ids.ts';
import { jobUri } from '#core/jobs.ts';
import { oneLine } from '#core/one-line.ts';
import { resultUri } from '#core/results.ts';
import { LISTING } from './find-job.ts';

const MAX_SHOWN_CHARS = 64;
/** Longer than any id or address of ours: what is sent in their place is not looked at any further. */
export const MAX_ID_CHARS = 200;

/** The id of a job, as such or as its address: a model has seen both. */
export function readJobId(given: string, field: string): Id<'job'> {
  const id = without(jobUri(''), given);
  if (isId(id, 'job')) return id;
  throw new CallError('validation', `"${field}" is no id of a job: "${shown(given)}".`, {
    field,
    fix: isId(id, 'res')
      ? `This is a long result: read_result with {"id": "${id}"} reads it.`
      : `It is ${shape('job')}, as in the answer that was handed off. ${LISTING}`,
  });
}

export function readResultId(given: string, field: string): Id<'res'> {
  const id = without(resultUri(''), given);
  if (isId(id, 'res')) return id;
  throw new CallError('validation', `"${field}" is no id of a long result: "${shown(given)}".`, {
    field,
    fix: isId(id, 'job')
      ? `This is a job: job_result with {"job_id": "${id}"} has its answer.`
      : `It is ${shape('res')}, as in the answer that was too long.`,
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

import * as z from 'zod';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import type { Job } from '#core/calls/jobs.ts';
import type { InputRequest } from '#core/tools/input-request.ts';
import type { JobStatus, JobSummary } from '#core/stores/jobs.ts';

/** Schemas and contents of jobs. */

const STATUSES = [
  'queued',
  'running',
  'input_required',
  'done',
  'failed',
  'cancelled',
] as const satisfies readonly JobStatus[];

export const StatusShape = z.enum(STATUSES);

export const JobShape = z.strictObject({
  id: z.string(),
  tool: z.string(),
  status: StatusShape,
  title: z.string().optional(),
  note: z.string().optional(),
  error_class: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  finished_at: z.string().optional(),
});
export type JobContent = z.infer<typeof JobShape>;

export function jobContent(job: JobSummary): JobContent {
  const { id, tool, status, title, note, error, createdAt, updatedAt, finishedAt } = job;
  const isOver = finishedAt !== null;
  return {
    id,
    tool,
    status,
    ...(title !== '' && { title }),
    ...(note !== '' && !isOver && { note }),
    ...(error && { error_class: error.class }),
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
    ...(isOver && { finished_at: isoTime(finishedAt) }),
  };
}

/** The `job` field of an envelope. */
export function jobFacts({
  id,
  status,
  tool,
  createdAt,
  finishedAt,
}: Job): NonNullable<Envelope['job']> {
  return {
    id,
    status,
    tool,
    created_at: isoTime(createdAt),
    ...(finishedAt !== undefined && { finished_at: isoTime(finishedAt) }),
  };
}

/** The state of a job without its answer. */
export function jobState(job: Job): object {
  const {
    title,
    progress,
    runs,
    updatedAt,
    finishedAt,
    retentionMs: keptMs,
    pendingInput,
    answer,
  } = job;
  // A finished job needs no progress.
  const { note, done, total, chars } = finishedAt === undefined ? progress : {};
  return {
    ...jobFacts(job),
    updated_at: isoTime(updatedAt),
    ...(title !== undefined && title !== '' && { title }),
    ...(note !== undefined && note !== '' && { note }),
    ...(done !== undefined && { done }),
    ...(total !== undefined && { total }),
    ...(chars !== undefined && { chars }),
    runs,
    ...(pendingInput && { asks: questionRows(pendingInput.questions) }),
    ...(answer?.error && {
      error_class: answer.error.class,
      detail: answer.envelope.detail ?? answer.error.message,
    }),
    ...(keptMs !== undefined &&
      finishedAt !== undefined && { kept_until: isoTime(finishedAt + keptMs) }),
  };
}

export function questionRows(questions: Readonly<Record<string, InputRequest>>): object[] {
  return Object.entries(questions).map(([name, question]) => ({
    name,
    kind: question.is,
    ...('message' in question && { message: question.message }),
  }));
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

import * as z from 'zod';
import type { Envelope } from '#core/envelope.schema.ts';
import type { Job } from '#core/jobs.ts';
import type { Question } from '#core/question.ts';
import type { JobStatus, JobSummary } from '#core/stores/jobs.ts';

/** Jobs as data. */

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
export type JobRow = z.infer<typeof JobShape>;

export function jobRow(job: JobSummary): JobRow {
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

/** What the envelope of an answer says of the job that it belongs to. */
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

/** How one stands, and nothing of its answer. */
export function jobState(job: Job): object {
  const { title, progress, runs, updatedAt, finishedAt, keptMs, asks, answer } = job;
  // How far it was once says nothing of an answer that is there.
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
    ...(asks && { asks: questionRows(asks.questions) }),
    ...(answer?.error && {
      error_class: answer.error.class,
      detail: answer.envelope.detail ?? answer.error.message,
    }),
    ...(keptMs !== undefined &&
      finishedAt !== undefined && { kept_until: isoTime(finishedAt + keptMs) }),
  };
}

export function questionRows(questions: Readonly<Record<string, Question>>): object[] {
  return Object.entries(questions).map(([name, question]) => ({
    name,
    kind: question.is,
    ...('message' in question && { message: question.message }),
  }));
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

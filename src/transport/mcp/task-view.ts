import type { Job } from '#core/jobs.ts';
import { oneLine } from '#core/one-line.ts';
import type { JobStatus } from '#core/stores/jobs.ts';
import { INTERNAL_ERROR, type Members } from '#mcp/json-rpc.ts';
import type { ToolOutcome } from './call-reply.ts';
import { inputRequests } from './task-inputs.ts';

/** A task as its client sees it. */
export interface TaskView {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

const MAX_MESSAGE_CHARS = 200;

/** How it stands, without what it asks or has come to. `status`: as far as it is known without its outcome. */
export function taskView(job: Job, now: number): TaskView {
  const { id, createdAt, updatedAt, asks } = job;
  const message = noteOf(job);
  return {
    taskId: id,
    // A job whose questions are all answered is about to go on.
    status: job.status === 'input_required' && !asks ? 'working' : STATUS[job.status],
    ...(message !== '' && { statusMessage: oneLine(message, MAX_MESSAGE_CHARS) }),
    createdAt: isoTime(createdAt),
    lastUpdatedAt: isoTime(updatedAt),
    ttlMs: ttlOf(job),
    pollIntervalMs: pollInterval(now - createdAt),
  };
}

/** The same with what it asks, or with what it came to. */
export function detailedTask(job: Job, outcome: ToolOutcome | undefined, now: number): Members {
  const view = taskView(job, now);
  if (view.status === 'input_required' && job.asks) {
    return { ...view, inputRequests: inputRequests(job.asks) };
  }
  if (view.status !== 'completed') return { ...view };
  const ended = outcome ?? NO_OUTCOME;
  if ('result' in ended) return { ...view, result: ended.result };
  const { code, message, data } = ended.error;
  const error = { code, message, ...(data && { data }) };
  const statusMessage = oneLine(message, MAX_MESSAGE_CHARS);
  return { ...view, status: 'failed', statusMessage, error };
}

export function isOver({ status }: Pick<Job, 'status'>): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

/** `failed` is for what JSON-RPC calls an error: a tool that reports a failure has completed. */
const STATUS: Record<JobStatus, TaskView['status']> = {
  queued: 'working',
  running: 'working',
  input_required: 'input_required',
  done: 'completed',
  failed: 'completed',
  cancelled: 'cancelled',
};

const NO_OUTCOME: ToolOutcome = {
  error: { code: INTERNAL_ERROR, message: 'The answer of this task was not kept.' },
};

function noteOf({ status, progress, answer }: Job): string {
  if (status === 'cancelled') return 'It was cancelled.';
  if (answer?.error) return answer.error.message;
  if (answer) return '';
  const { note, done, total } = progress;
  if (note !== undefined && note !== '') return note;
  if (done !== undefined && total !== undefined) return `${done} of ${total}`;
  return status === 'queued' ? 'It waits for its turn.' : '';
}

/** Counted from its beginning. It is kept for so long from its end on, which may still come much later. */
function ttlOf({ keptMs, createdAt, updatedAt, finishedAt }: Job): number | null {
  if (keptMs === undefined) return null;
  return Math.max(1, Math.round((finishedAt ?? updatedAt) - createdAt + keptMs));
}

/** What has taken long will mostly take longer. */
function pollInterval(ageMs: number): number {
  if (ageMs < 10_000) return 1000;
  return ageMs < 60_000 ? 2000 : 5000;
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

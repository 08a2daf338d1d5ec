import type { CallResult } from './calls.ts';
import type { AbortSignalLike } from '../net/abort.ts';
import type { Id } from '../ids.ts';
import type { InputResponses, InputRequests } from '../tools/input-request.ts';
import type { JobStatus, JobSummary } from '../stores/jobs.ts';

export const JOB_URI = 'exai://jobs/{id}';

export function jobUri(id: string): string {
  return `exai://jobs/${id}`;
}

/** How far a job is. */
export interface JobProgress {
  /** When its work started. Its time limit counts from then, not while it is queued. */
  readonly begunAt?: number;
  /** What is happening, in a few words. */
  readonly note?: string;
  readonly done?: number;
  readonly total?: number;
  /** Length of the answer so far. */
  readonly chars?: number;
  /** The answer so far; only the end if it is very long. */
  readonly text?: string;
}

/** The input requests that a job waits for. */
export interface JobInputRequests {
  /** Starts at 1. Names of requests may repeat in later rounds with another meaning. */
  readonly round: number;
  /** Requests without a response yet. */
  readonly questions: InputRequests;
}

/** A call that runs in the background, independent of the client that started it. */
export interface Job {
  readonly id: Id<'job'>;
  /** Id of the original call. */
  readonly reqId: string;
  readonly tool: string;
  /** One line that distinguishes it from other jobs. */
  readonly title?: string;
  readonly status: JobStatus;
  readonly progress: JobProgress;
  readonly runs: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | undefined;
  /** How long it is retained after it ends; undefined: without limit. */
  readonly retentionMs: number | undefined;
  readonly pendingInput: JobInputRequests | undefined;
  /** Present once it has ended; a cancelled job has none. */
  readonly answer: CallResult | undefined;
}

/** Access to jobs on behalf of a principal. Jobs of other principals are `not_found`. */
export interface Jobs {
  get(principal: string, id: string): Promise<Job>;
  /**
   * Resolves with the job when it ends or needs input, after `forMs`, or when the signal aborts.
   */
  wait(principal: string, id: string, forMs: number, signal: AbortSignalLike): Promise<Job>;
  /** Newest first; `before` is the last id of the previous page. */
  list(
    principal: string,
    limit: number,
    filter?: { readonly before?: string; readonly open?: true },
  ): Promise<readonly JobSummary[]>;
  /** Durable when it resolves; the work itself stops soon after. */
  cancel(principal: string, id: string): Promise<'cancelled' | 'already_over'>;
  /** Responds to all or some input requests; unknown names are ignored. */
  answer(principal: string, id: string, round: number, answers: InputResponses): Promise<void>;
  /**
   * Notifies of every status change and occasionally of progress. Returns the unsubscribe function.
   */
  onChange(listener: (change: JobEvent) => void): () => void;
}

export interface JobEvent {
  readonly id: Id<'job'>;
  readonly principal: string;
  readonly what: 'status' | 'progress';
}

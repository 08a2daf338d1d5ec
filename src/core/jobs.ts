import type { CallAnswer } from './calls.ts';
import type { Cancel } from './http.ts';
import type { Id } from './ids.ts';
import type { Answers, Questions } from './question.ts';
import type { JobStatus, JobSummary } from './stores/jobs.ts';

export const JOB_URI = 'exai://jobs/{id}';

export function jobUri(id: string): string {
  return `exai://jobs/${id}`;
}

/** How far a job is. */
export interface JobProgress {
  /** When its work began; its time counts from then, and not while it waits. */
  readonly begunAt?: number;
  /** What is happening, in a few words. */
  readonly note?: string;
  readonly done?: number;
  readonly total?: number;
  /** How long the answer is so far. */
  readonly chars?: number;
  /** What there is of the answer so far; of a very long one its end. */
  readonly text?: string;
}

/** What a job wants to know before it goes on. */
export interface JobQuestions {
  /** The first is 1: names come again in later rounds and mean something else there. */
  readonly round: number;
  /** Those that are not answered yet. */
  readonly questions: Questions;
}

/** Work that goes on without whoever began it. */
export interface Job {
  readonly id: Id<'job'>;
  /** Of the call that it was. */
  readonly reqId: string;
  readonly tool: string;
  /** What it is about, in a line, to tell it from others. */
  readonly title?: string;
  readonly status: JobStatus;
  readonly progress: JobProgress;
  readonly runs: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | undefined;
  /** Until when it is kept once it is over; nothing where it is kept for ever. */
  readonly keptMs: number | undefined;
  readonly asks: JobQuestions | undefined;
  /** Once it is over, whether well or not; a cancelled one has none. */
  readonly answer: CallAnswer | undefined;
}

/** Everything is done on behalf of a principal; another's job does not exist for it, and is `not_found`. */
export interface Jobs {
  get(principal: string, id: string): Promise<Job>;
  /** As soon as it is over or asks something, or after `forMs`, or when the signal says so: how it stands then. */
  wait(principal: string, id: string, forMs: number, signal: Cancel): Promise<Job>;
  /** Newest first; `before` is the last one of the page before. */
  list(
    principal: string,
    limit: number,
    filter?: { readonly before?: string; readonly open?: true },
  ): Promise<readonly JobSummary[]>;
  /** Durable when it resolves; the work itself ends soon after. */
  cancel(principal: string, id: string): Promise<'cancelled' | 'already_over'>;
  /** To what it asks, all or some of it; what it does not ask is passed over. */
  answer(principal: string, id: string, round: number, answers: Answers): Promise<void>;
  /** Told of every change of a status and, now and then, of progress. Gives the way to stop listening. */
  onChange(listener: (change: JobNews) => void): () => void;
}

export interface JobNews {
  readonly id: Id<'job'>;
  readonly principal: string;
  readonly what: 'status' | 'progress';
}

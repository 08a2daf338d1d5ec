import type { ErrorJson } from '../call-error.ts';
import type { Id } from '../ids.ts';
import type { Json } from '../json.ts';

/** `input_required`: nobody works on it until its questions are answered. */
export type JobStatus = 'queued' | 'running' | 'input_required' | 'done' | 'failed' | 'cancelled';

export const OPEN_STATUSES = ['queued', 'running', 'input_required'] as const;

/** What a list tells of a job: nothing that may be large. */
export interface JobSummary {
  readonly id: Id<'job'>;
  readonly principal: string;
  readonly tool: string;
  readonly status: JobStatus;
  /** What it is about, in a line, to tell it from others; nothing where its call said nothing. */
  readonly title: string;
  /** The progress without the text: a few words. */
  readonly note: string;
  readonly error: ErrorJson | null;
  /** How often it was claimed since it was new, given back or asked something: more than once means that a run was cut off. */
  readonly runs: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
}

export interface JobRecord extends JobSummary {
  readonly input: Json;
  /** Where a resumed run picks up. */
  readonly checkpoint: Json;
  readonly progress: Json;
  readonly result: Json;
  /** What it wants to know, while it is `input_required`, and the answers of all rounds. */
  readonly asks: Json;
  /** Rises with every claim: a worker that lost its lease cannot write any more. */
  readonly fence: number;
  readonly leaseUntil: number;
}

/** Proof of a claim; every write of the worker carries it. */
export interface Lease {
  readonly jobId: Id<'job'>;
  readonly fence: number;
}

export interface NewJob {
  readonly id: Id<'job'>;
  readonly principal: string;
  readonly tool: string;
  readonly input: Json;
  readonly title?: string;
  readonly note?: string;
  readonly checkpoint?: Json;
  readonly progress?: Json;
}

export interface JobChange {
  /** Where a claim was no further run. */
  readonly runs?: number;
  readonly note?: string;
  readonly progress?: Json;
  readonly checkpoint?: Json;
}

export type JobOutcome =
  | { readonly status: 'done'; readonly result: Json }
  | { readonly status: 'failed'; readonly error: ErrorJson; readonly result: Json };

export interface JobStore {
  /** For any worker to claim. */
  enqueue(job: NewJob): Promise<void>;
  /** One that its worker has begun already. */
  adopt(job: NewJob, owner: string, leaseMs: number): Promise<Lease>;
  /**
   * The oldest job that waits, or whose worker let its lease run out; each is given to one worker only. Those of `passOver` are
   * left where they are.
   */
  claim(
    owner: string,
    leaseMs: number,
    passOver?: readonly string[],
  ): Promise<JobRecord | undefined>;
  /** Takes their leases from all other workers, for who knows that there are none any more. */
  orphan(owner: string): Promise<void>;
  /** Keeps the lease and stores how far the work is; `lost` when another worker has the job or it was cancelled. */
  heartbeat(lease: Lease, leaseMs: number, change?: JobChange): Promise<'kept' | 'lost'>;
  /** Gives it back to be claimed again; `asks` are kept unless told. */
  release(lease: Lease, change?: JobChange): Promise<'kept' | 'lost'>;
  /** What was only needed to run it goes: its arguments, checkpoint and questions. */
  finish(lease: Lease, outcome: JobOutcome): Promise<'kept' | 'lost'>;
  /** It cannot go on before this is answered; nobody holds it until then. */
  ask(lease: Lease, asks: Json, change?: JobChange): Promise<'kept' | 'lost'>;
  /**
   * Puts `next` in the place of `asks`, and lets it go on where nothing is left to answer. `changed` when they were not `asks`
   * any more, or the job does not ask.
   */
  answer(
    id: string,
    principal: string,
    asks: { readonly was: Json; readonly next: Json; readonly status: 'input_required' | 'queued' },
  ): Promise<'kept' | 'changed'>;
  /** The same goes. */
  cancel(id: string, principal: string): Promise<'cancelled' | 'already_over'>;
  /** Of those that are not over. */
  countOpen(principal: string): Promise<number>;
  get(id: string, principal: string): Promise<JobRecord | undefined>;
  /** Newest first; `before` is the last one of the page before. */
  list(
    principal: string,
    limit: number,
    filter?: { readonly before?: string; readonly open?: true },
  ): Promise<JobSummary[]>;
}

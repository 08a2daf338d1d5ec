import type { ErrorJson } from '../errors/call-error.ts';
import type { Id } from '../ids.ts';
import type { Json } from '../json/json.ts';

/** `input_required`: it waits for responses, and no worker runs it. */
export type JobStatus = 'queued' | 'running' | 'input_required' | 'done' | 'failed' | 'cancelled';

export const OPEN_STATUSES = ['queued', 'running', 'input_required'] as const;

/** A job in lists, without large fields. */
export interface JobSummary {
  readonly id: Id<'job'>;
  readonly principal: string;
  readonly tool: string;
  readonly status: JobStatus;
  /** One line that distinguishes it from other jobs; undefined if unknown. */
  readonly title: string;
  /** Progress without the text. */
  readonly note: string;
  readonly error: ErrorJson | null;
  /**
   * Claims since it was created, given back or needed input; more than one means that a run was
   * interrupted.
   */
  readonly runs: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
}

export interface JobRecord extends JobSummary {
  readonly input: Json;
  /** Checkpoint of a resumed run. */
  readonly checkpoint: Json;
  readonly progress: Json;
  readonly result: Json;
  /** Pending input requests while `input_required`, and the responses of all rounds. */
  readonly asks: Json;
  /** Fencing token: rises with every claim, so a worker that lost its lease cannot write. */
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
  /** When its call began, if that was before the job is stored; default: now. */
  readonly createdAt?: number;
}

export interface JobChange {
  /** Set if the claim does not count as a run. */
  readonly runs?: number;
  readonly note?: string;
  readonly progress?: Json;
  readonly checkpoint?: Json;
}

export type JobOutcome =
  | { readonly status: 'done'; readonly result: Json }
  | { readonly status: 'failed'; readonly error: ErrorJson; readonly result: Json };

export interface JobStore {
  /** Creates a job for any worker to claim. */
  enqueue(job: NewJob): Promise<void>;
  /** Creates a job that its worker already runs. */
  adopt(job: NewJob, owner: string, leaseMs: number): Promise<Lease>;
  /**
   * Claims the oldest queued job, or one whose lease has expired, for exactly one worker. Skips
   * those of `passOver`. A job that its owner claims again counts as the same run: the owner never heard of its first claim.
   */
  claim(
    owner: string,
    leaseMs: number,
    passOver?: readonly string[],
  ): Promise<JobRecord | undefined>;
  /** Revokes the leases of all other workers; for a caller that knows they are gone. */
  orphan(owner: string): Promise<void>;
  /**
   * Renews the lease and saves progress; `lost` if another worker has the job or it was cancelled.
   */
  heartbeat(lease: Lease, leaseMs: number, change?: JobChange): Promise<'kept' | 'lost'>;
  /** Gives it back to be claimed again; keeps `asks` by default. */
  release(lease: Lease, change?: JobChange): Promise<'kept' | 'lost'>;
  /**
   * Ends the job and removes what only running it needed: arguments, checkpoint and input requests.
   */
  finish(lease: Lease, outcome: JobOutcome): Promise<'kept' | 'lost'>;
  /** Saves input requests and releases the job until they are answered. */
  ask(lease: Lease, asks: Json, change?: JobChange): Promise<'kept' | 'lost'>;
  /**
   * Replaces `asks` by `next`, and requeues the job if everything is answered. `changed` if the
   * stored value is not `asks` or the job does not wait for input.
   */
  answer(
    id: string,
    principal: string,
    asks: { readonly was: Json; readonly next: Json; readonly status: 'input_required' | 'queued' },
  ): Promise<'kept' | 'changed'>;
  /** Cancels the job and removes the same data. */
  cancel(id: string, principal: string): Promise<'cancelled' | 'already_over'>;
  /** Number of jobs that have not ended. */
  countOpen(principal: string): Promise<number>;
  get(id: string, principal: string): Promise<JobRecord | undefined>;
  /** Newest first; `before` is the last one of the page before. */
  list(
    principal: string,
    limit: number,
    filter?: { readonly before?: string; readonly open?: true },
  ): Promise<JobSummary[]>;
}

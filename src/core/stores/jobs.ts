import type { ErrorJson } from '../call-error.ts';
import type { Id } from '../ids.ts';
import type { Json } from '../json.ts';

export type JobStatus = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export interface JobRecord {
  readonly id: Id<'job'>;
  readonly principal: string;
  readonly tool: string;
  readonly status: JobStatus;
  readonly input: Json;
  /** Where a resumed run picks up. */
  readonly checkpoint: Json;
  readonly progress: Json;
  readonly result: Json;
  readonly error: ErrorJson | null;
  readonly runs: number;
  /** Rises with every claim: a worker that lost its lease cannot write any more. */
  readonly fence: number;
  readonly leaseUntil: number;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

/** Proof of a claim; every write of the worker carries it. */
export interface Lease {
  readonly jobId: Id<'job'>;
  readonly fence: number;
}

export interface JobStore {
  enqueue(job: { id: Id<'job'>; principal: string; tool: string; input: Json }): Promise<void>;
  /** The oldest job that waits, or whose worker let its lease run out; each is given to one worker only. */
  claim(owner: string, leaseMs: number): Promise<JobRecord | undefined>;
  /** Keeps the lease and stores how far the work is; `lost` when another worker has the job or it was cancelled. */
  heartbeat(
    lease: Lease,
    leaseMs: number,
    change?: { progress?: Json; checkpoint?: Json },
  ): Promise<'kept' | 'lost'>;
  finish(
    lease: Lease,
    outcome: { status: 'done'; result: Json } | { status: 'failed'; error: ErrorJson },
  ): Promise<'kept' | 'lost'>;
  cancel(id: string, principal: string): Promise<'cancelled' | 'already_over'>;
  get(id: string, principal: string): Promise<JobRecord | undefined>;
  /** Newest first. */
  list(principal: string, limit: number): Promise<JobRecord[]>;
}

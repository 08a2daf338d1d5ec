import { CallError } from '#core/call-error.ts';
import type { JobStore, Lease, NewJob } from '#core/stores/jobs.ts';
import { LEASE_MS } from './options.ts';

const FIRST_FENCE = 1;

/** Stores a job that runs already. Where that seemed to fail before and did not, it is there, and still ours. */
export async function adopt(store: JobStore, job: NewJob, owner: string): Promise<Lease> {
  try {
    return await store.adopt(job, owner, LEASE_MS);
  } catch (thrown) {
    if (CallError.from(thrown).class !== 'conflict') throw thrown;
    const lease = { jobId: job.id, fence: FIRST_FENCE };
    if ((await store.heartbeat(lease, LEASE_MS)) === 'kept') return lease;
    throw thrown;
  }
}

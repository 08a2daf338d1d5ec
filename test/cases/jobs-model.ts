import type {
  JobChange,
  JobRecord,
  JobStore,
  JobSummary,
  Lease,
  NewJob,
} from '#core/stores/jobs.ts';

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
type ModelJob = Mutable<JobRecord> & { owner: string | null };

/** The store of jobs as its contract tells it, in plain objects and one thread. */
export type JobsModel = {
  [Name in keyof JobStore]: (
    ...args: Parameters<JobStore[Name]>
  ) => Awaited<ReturnType<JobStore[Name]>>;
};

const OVER = ['done', 'failed', 'cancelled'];
const NO_LONGER_NEEDED = { input: null, checkpoint: null, asks: null };

export function createJobsModel(now: () => number): JobsModel {
  const jobs: ModelJob[] = [];

  function add(given: NewJob): ModelJob {
    const { title = '', note = '', checkpoint = null, progress = null, ...job } = given;
    const added: ModelJob = {
      ...job,
      title,
      note,
      checkpoint,
      progress,
      status: 'queued',
      error: null,
      result: null,
      asks: null,
      owner: null,
      runs: 0,
      fence: 0,
      leaseUntil: 0,
      createdAt: now(),
      updatedAt: now(),
      finishedAt: null,
    };
    jobs.push(added);
    return added;
  }

  function give(job: ModelJob, owner: string, leaseMs: number): Lease {
    if (job.owner !== owner) job.runs += 1;
    job.status = 'running';
    job.owner = owner;
    job.leaseUntil = now() + leaseMs;
    job.fence += 1;
    job.updatedAt = now();
    return { jobId: job.id, fence: job.fence };
  }

  function free(job: ModelJob): void {
    job.owner = null;
    job.leaseUntil = 0;
    job.updatedAt = now();
  }

  function whileLeased({ jobId, fence }: Lease, work: (job: ModelJob) => void): 'kept' | 'lost' {
    const job = jobs.find(({ id }) => id === jobId);
    if (!job || job.fence !== fence || job.status !== 'running') return 'lost';
    work(job);
    return 'kept';
  }

  function tell(job: ModelJob, change: JobChange = {}): void {
    if (Object.keys(change).length === 0) return;
    Object.assign(job, change, { updatedAt: now() });
  }

  function find(id: string, principal: string): ModelJob | undefined {
    return jobs.find((job) => job.id === id && job.principal === principal);
  }

  return {
    enqueue: (job) => void add(job),
    adopt: (job, owner, leaseMs) => give(add(job), owner, leaseMs),
    claim(owner, leaseMs, passOver = []) {
      const next = jobs
        .filter(
          ({ status, leaseUntil, principal }) =>
            (status === 'queued' || (status === 'running' && leaseUntil < now())) &&
            !passOver.includes(principal),
        )
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))[0];
      if (next) give(next, owner, leaseMs);
      return next && toRecord(next);
    },
    orphan(owner) {
      for (const job of jobs) {
        if (job.status !== 'running' || job.owner === owner) continue;
        job.status = 'queued';
        job.fence += 1;
        free(job);
      }
    },
    heartbeat: (lease, leaseMs, change) =>
      whileLeased(lease, (job) => {
        job.leaseUntil = now() + leaseMs;
        tell(job, change);
      }),
    release: (lease, change) =>
      whileLeased(lease, (job) => {
        job.status = 'queued';
        job.runs = 0;
        tell(job, change);
        free(job);
      }),
    finish: (lease, outcome) =>
      whileLeased(lease, (job) => {
        Object.assign(job, outcome, NO_LONGER_NEEDED);
        job.updatedAt = now();
        job.finishedAt = now();
      }),
    ask: (lease, asks, change) =>
      whileLeased(lease, (job) => {
        job.status = 'input_required';
        job.asks = asks;
        job.runs = 0;
        tell(job, change);
        free(job);
      }),
    answer(id, principal, { was, next, status }) {
      const job = find(id, principal);
      const same = JSON.stringify(job?.asks) === JSON.stringify(was);
      if (job?.status !== 'input_required' || !same) return 'changed';
      job.asks = next;
      job.status = status;
      job.updatedAt = now();
      return 'kept';
    },
    cancel(id, principal) {
      const job = find(id, principal);
      if (!job || OVER.includes(job.status)) return 'already_over';
      Object.assign(job, NO_LONGER_NEEDED, { status: 'cancelled' });
      job.updatedAt = now();
      job.finishedAt = now();
      return 'cancelled';
    },
    countOpen: (principal) =>
      jobs.filter((job) => job.principal === principal && !OVER.includes(job.status)).length,
    get(id, principal) {
      const job = find(id, principal);
      return job && toRecord(job);
    },
    list: (principal, limit, { open } = {}) =>
      jobs
        .filter((job) => job.principal === principal && !(open && OVER.includes(job.status)))
        .toReversed()
        .slice(0, limit)
        .map(toSummary),
  };
}

function toRecord(job: ModelJob): JobRecord {
  return without(job, ['owner']);
}

function toSummary(job: ModelJob): JobSummary {
  return without(toRecord(job), LARGE_OR_INNER);
}

const LARGE_OR_INNER = [
  'input',
  'checkpoint',
  'progress',
  'result',
  'asks',
  'fence',
  'leaseUntil',
] as const;

function without<T extends object, Name extends keyof T>(
  all: T,
  names: readonly Name[],
): Omit<T, Name> {
  const rest = { ...all };
  for (const name of names) delete rest[name];
  return rest;
}

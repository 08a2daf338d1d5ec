import { CallError } from '#core/errors/call-error.ts';
import type { JobChange, JobStore, JobSummary, Lease, NewJob } from '#core/stores/jobs.ts';
import { OPEN_STATUSES } from '#core/stores/jobs.ts';
import type { Disk, JobRow } from './disk.ts';
import type { JobBook } from './job-book.ts';
import { EPOCH_MS } from './sim-process.ts';
import type { Simulation } from './simulation.ts';

/** Commits what it is given, and resolves with what came of it. */
export type Commit = <T>(what: string, apply: () => T) => Promise<T>;

export interface SimJobsOptions {
  readonly disk: Disk;
  readonly simulation: Simulation;
  readonly book: Pick<JobBook, 'stored'>;
  readonly commit: Commit;
}

/** With what planted bugs need. */
export interface SimJobs extends JobStore {
  /** Changes a row, whoever has it. */
  force(id: string, change: Partial<JobRow>): Promise<void>;
  peek(id: string): JobRow | undefined;
}

const FREE = { status: 'queued', owner: null, leaseUntil: 0 } as const;

/** By the rules of the real store, which has them as SQL. */
export function createSimJobs({ disk, simulation, book, commit }: SimJobsOptions): SimJobs {
  const { jobs } = disk;
  const now = () => EPOCH_MS + simulation.now;

  function put(row: JobRow): void {
    // What is stored is text: whoever changes what it gave changes nothing here.
    const after = JSON.parse(JSON.stringify(row)) as JobRow;
    book.stored(jobs.get(row.id), after);
    jobs.set(row.id, after);
  }

  function mine(id: string, principal: string): JobRow | undefined {
    const row = jobs.get(id);
    return row?.principal === principal ? row : undefined;
  }

  const whileLeased = (what: string, { jobId, fence }: Lease, change: Partial<JobRow>) =>
    commit(`${what} ${jobId}`, () => {
      const row = jobs.get(jobId);
      if (row?.fence !== fence || row.status !== 'running') return 'lost';
      put({ ...row, ...change });
      return 'kept';
    });

  return {
    force: (id, change) =>
      commit(`force ${id}`, () => {
        const row = jobs.get(id);
        if (row) put({ ...row, ...change });
      }),
    peek: (id) => jobs.get(id),
    async enqueue(job) {
      const row = newRow(job, now());
      await commit(`enqueue ${job.id}`, () => put(row));
    },
    adopt(job, owner, leaseMs) {
      const leaseUntil = now() + leaseMs;
      const begun = { status: 'running', owner, runs: 1, fence: 1, leaseUntil } as const;
      const row: JobRow = { ...newRow(job, now()), ...begun };
      return commit(`adopt ${job.id}`, () => {
        // An earlier write of it, whose outcome nobody knew.
        if (jobs.has(job.id)) return undefined;
        put(row);
        return { jobId: job.id, fence: 1 };
      }).then((lease) => lease ?? Promise.reject(isThere(job.id)));
    },
    claim(owner, leaseMs, passOver = []) {
      const at = now();
      return commit('claim', () => {
        const [row] = [...jobs.values()]
          .filter(({ status, leaseUntil }) => isFree(status, leaseUntil, at))
          .filter(({ principal }) => !passOver.includes(principal))
          .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
        if (!row) return undefined;
        const { id, fence } = row;
        const runs = row.runs + 1;
        const held = { status: 'running', owner, leaseUntil: at + leaseMs } as const;
        put({ ...row, ...held, fence: fence + 1, runs, updatedAt: at });
        return jobs.get(id);
      });
    },
    orphan: (owner) =>
      commit('orphan', () => {
        for (const row of jobs.values())
          if (row.status === 'running' && row.owner !== owner)
            put({ ...row, ...FREE, fence: row.fence + 1, updatedAt: now() });
      }),
    heartbeat: (lease, leaseMs, change) =>
      whileLeased('heartbeat', lease, { ...changes(change), leaseUntil: now() + leaseMs }),
    release: (lease, change) =>
      whileLeased('release', lease, { ...changes(change), ...FREE, runs: 0, updatedAt: now() }),
    finish: (lease, outcome) =>
      whileLeased('finish', lease, {
        status: outcome.status,
        result: outcome.result,
        error: outcome.status === 'failed' ? outcome.error : null,
        updatedAt: now(),
        finishedAt: now(),
        ...NO_LONGER_NEEDED,
      }),
    ask: (lease, asks, change) =>
      whileLeased('ask', lease, {
        ...changes(change),
        ...FREE,
        status: 'input_required',
        asks,
        runs: 0,
        updatedAt: now(),
      }),
    answer: (id, principal, { was, next, status }) =>
      commit(`answer ${id}`, () => {
        const row = mine(id, principal);
        const isSame = JSON.stringify(row?.asks) === JSON.stringify(was);
        if (row?.status !== 'input_required' || !isSame) return 'changed';
        put({ ...row, asks: next, status, updatedAt: now() });
        return 'kept';
      }),
    cancel: (id, principal) =>
      commit(`cancel ${id}`, () => {
        const row = mine(id, principal);
        if (!row || !isOpen(row.status)) return row && 'already_over';
        const over = { status: 'cancelled', updatedAt: now(), finishedAt: now() } as const;
        put({ ...row, ...over, ...NO_LONGER_NEEDED });
        return 'cancelled';
      }).then((outcome) => outcome ?? Promise.reject(noJob(id))),
    countOpen: async (principal) =>
      [...jobs.values()].filter((row) => row.principal === principal && isOpen(row.status)).length,
    get: async (id, principal) => mine(id, principal),
    async list(principal, limit, { before, open } = {}) {
      const rows = [...jobs.values()]
        .filter((row) => row.principal === principal && (!open || isOpen(row.status)))
        .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
      const from = before === undefined ? 0 : rows.findIndex(({ id }) => id === before) + 1;
      if (before !== undefined && from === 0) throw noJob(before);
      return rows.slice(from, from + limit).map(toSummary);
    },
  };
}

const NO_LONGER_NEEDED = { input: null, checkpoint: null, asks: null };

function isOpen(status: string): boolean {
  return (OPEN_STATUSES as readonly string[]).includes(status);
}

function isFree(status: string, leaseUntil: number, at: number): boolean {
  return status === 'queued' || (status === 'running' && leaseUntil < at);
}

function newRow(job: NewJob, at: number): JobRow {
  const { id, principal, tool, input, title = '', note = '' } = job;
  const { checkpoint = null, progress = null } = job;
  return {
    id,
    principal,
    tool,
    input,
    title,
    note,
    checkpoint,
    progress,
    ...FREE,
    runs: 0,
    fence: 0,
    createdAt: at,
    updatedAt: at,
    finishedAt: null,
    error: null,
    asks: null,
    result: null,
  };
}

function changes({ runs, note, progress, checkpoint }: JobChange = {}): Partial<JobRow> {
  return {
    ...(runs !== undefined && { runs }),
    ...(note !== undefined && { note }),
    ...(progress !== undefined && { progress }),
    ...(checkpoint !== undefined && { checkpoint }),
  };
}

function toSummary(row: JobRow): JobSummary {
  const { id, principal, tool, status, title, note, error, runs } = row;
  const { createdAt, updatedAt, finishedAt } = row;
  const words = { title, note, error };
  return { id, principal, tool, status, ...words, runs, createdAt, updatedAt, finishedAt };
}

function isThere(id: string): CallError {
  return new CallError('conflict', `There is a job ${id} already.`);
}

function noJob(id: string): CallError {
  return new CallError('not_found', `There is no job ${id}.`);
}

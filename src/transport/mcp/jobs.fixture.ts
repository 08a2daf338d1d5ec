import { CallError } from '#core/errors/call-error.ts';
import type { CallResult } from '#core/calls/calls.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Id } from '#core/ids.ts';
import type { Job, JobEvent, Jobs } from '#core/calls/jobs.ts';
import type { InputResponses } from '#core/tools/input-request.ts';

export interface TestJobs extends Jobs {
  /** One that runs, of a principal. */
  put(id: Id<'job'>, job?: Partial<Job>, principal?: string): void;
  change(id: Id<'job'>, change: Partial<Job>): void;
  /** As retention does. */
  remove(id: string): void;
  readonly answered: { id: string; round: number; answers: InputResponses }[];
  readonly cancelled: string[];
  readonly listeners: number;
  /** How often one was read. */
  readonly reads: number;
  /** What reading fails with, until it is taken away. */
  failsWith: CallError | undefined;
  /** Holds every read back until it is called. */
  hold(): () => void;
}

export const KEPT_MS = 3_600_000;

export function createTestJobs(clock: Pick<Clock, 'now'>): TestJobs {
  const rows = new Map<string, { readonly principal: string; job: Job }>();
  const listeners = new Set<(news: JobEvent) => void>();
  let held: Promise<void> | undefined;
  let reads = 0;

  function find(principal: string, id: string): Job {
    const row = rows.get(id);
    if (row?.principal === principal) return row.job;
    throw new CallError('not_found', 'There is no such job; it may have expired.');
  }

  function news(id: Id<'job'>, principal: string): void {
    for (const listener of listeners) listener({ id, principal, what: 'status' });
  }

  const jobs: TestJobs = {
    answered: [],
    cancelled: [],
    failsWith: undefined,
    get listeners() {
      return listeners.size;
    },
    get reads() {
      return reads;
    },
    hold() {
      let release: () => void = () => undefined;
      held = new Promise((resolve) => (release = resolve));
      return () => {
        held = undefined;
        release();
      };
    },
    put(id, job = {}, principal = 'local') {
      const at = clock.now();
      const whole: Job = {
        id,
        reqId: 'req_1',
        tool: 'wait',
        status: 'running',
        progress: {},
        runs: 1,
        createdAt: at,
        updatedAt: at,
        finishedAt: undefined,
        retentionMs: KEPT_MS,
        pendingInput: undefined,
        answer: undefined,
        ...job,
      };
      rows.set(id, { principal, job: whole });
    },
    change(id, change) {
      const row = rows.get(id);
      if (!row) return;
      row.job = { ...row.job, updatedAt: clock.now(), ...change };
      news(id, row.principal);
    },
    remove: (id) => void rows.delete(id),
    async get(principal, id) {
      reads += 1;
      await held;
      if (jobs.failsWith) throw jobs.failsWith;
      return find(principal, id);
    },
    wait: (principal, id) => jobs.get(principal, id),
    list: () => Promise.resolve([]),
    async cancel(principal, id) {
      const { status } = find(principal, id);
      jobs.cancelled.push(id);
      if (status === 'done' || status === 'failed' || status === 'cancelled') return 'already_over';
      jobs.change(id as Id<'job'>, { status: 'cancelled', finishedAt: clock.now() });
      return 'cancelled';
    },
    async answer(principal, id, round, answers) {
      find(principal, id);
      jobs.answered.push({ id, round, answers });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return jobs;
}

/** What a caller gets when its call becomes a job. */
export function running(id: string, createdAt: string): CallResult {
  const job = { id, status: 'running', tool: 'wait', created_at: createdAt, poll_ms: 5000 };
  const envelope = {
    status: 'running',
    tool: 'wait',
    attempt: 0,
    req_id: 'req_1',
    content: null,
    job,
  };
  return { envelope, text: `It goes on as job ${id}.` };
}

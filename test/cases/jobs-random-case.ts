import fc from 'fast-check';
import { expect } from 'vitest';
import type { JobStore, Lease } from '#core/stores/jobs.ts';
import type { Store } from '#core/stores/store.ts';
import { verifies } from '../verifies.ts';
import { answering, leaseOf, nothingToDo } from './jobs-case.ts';
import { createJobsModel, type JobsModel } from './jobs-model.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** Longer than a round takes, and no multiple of what a round waits. */
const LEASE_MS = 1_000_000;
const WAIT_MS = 550_000;
const WORKERS = ['a', 'b', 'c'];
const DEEDS = [
  'enqueue',
  'adopt',
  'claim',
  'claim',
  'heartbeat',
  'release',
  'finish',
  'fail',
  'ask',
  'answer',
  'cancel',
  'orphan',
  'wait',
] as const;

const step = fc.record({
  deed: fc.constantFrom(...DEEDS),
  worker: fc.constantFrom(...WORKERS),
  /** Which of all leases ever given, and which of all jobs: 0 is the last. */
  back: fc.nat(4),
  value: fc.nat(3),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Everything a round has seen, the same for the store and for the model. */
interface Round {
  readonly principal: string;
  readonly jobs: string[];
  readonly leases: Lease[];
  readonly ends: Map<string, number>;
}

/** The deed on a store, or on the model: what it says is compared. */
function act(jobs: JobStore | JobsModel, { deed, worker, back, value }: Step, round: Round) {
  const lease = round.leases.at(-1 - back) ?? { jobId: 'job_none' as const, fence: 1 };
  const id = round.jobs.at(-1 - back) ?? 'job_none';
  const { principal } = round;
  const job = {
    id: `job_${principal}_${String(round.jobs.length).padStart(3, '0')}` as const,
    principal,
    tool: 't',
    input: value,
  };
  const change = [{}, { note: `n${value}` }, { progress: { value } }, { checkpoint: null }][value];
  switch (deed) {
    case 'enqueue':
      return jobs.enqueue({ ...job, ...change });
    case 'adopt':
      return jobs.adopt(job, worker, LEASE_MS);
    case 'claim':
      return jobs.claim(worker, LEASE_MS);
    case 'heartbeat':
      return jobs.heartbeat(lease, LEASE_MS, change);
    case 'release':
      return jobs.release(lease, change);
    case 'finish':
      return jobs.finish(lease, { status: 'done', result: value });
    case 'fail':
      return jobs.finish(lease, {
        status: 'failed',
        error: { class: 'internal', message: `m${value}` },
        result: null,
      });
    case 'ask':
      return jobs.ask(lease, { value }, change);
    case 'answer': {
      const status = value < 2 ? 'queued' : 'input_required';
      return jobs.answer(id, principal, answering({ value }, { value: value - 1 }, status));
    }
    case 'cancel':
      return id === 'job_none' ? undefined : jobs.cancel(id, principal);
    case 'orphan':
      return jobs.orphan(worker);
    case 'wait':
      return undefined;
  }
}

/** PostgreSQL has its own time for the end of a lease. */
function leasedOrNot(said: unknown): unknown {
  if (typeof said !== 'object' || said === null || !('leaseUntil' in said)) return said;
  return { ...said, leaseUntil: Number(said.leaseUntil) > 0 };
}

/** Takes down what came of a step; a fence that does not rise, or a second end, is found here. */
function takeDown(round: Round, { deed, back }: Step, said: unknown): void {
  if (deed === 'enqueue' || deed === 'adopt') {
    round.jobs.push(`job_${round.principal}_${String(round.jobs.length).padStart(3, '0')}`);
  }
  if (deed === 'adopt') round.leases.push(said as Lease);
  if (deed === 'claim' && said) {
    const lease = leaseOf(said as Awaited<ReturnType<JobStore['claim']>>);
    const before = round.leases.filter(({ jobId }) => jobId === lease.jobId);
    if (before.some(({ fence }) => fence >= lease.fence)) throw new Error('the fence did not rise');
    round.leases.push(lease);
  }
  const ended = (deed === 'finish' || deed === 'fail') && said === 'kept';
  const id = ended ? round.leases.at(-1 - back)?.jobId : undefined;
  const cancelled = deed === 'cancel' && said === 'cancelled' ? round.jobs.at(-1 - back) : id;
  if (cancelled) round.ends.set(cancelled, (round.ends.get(cancelled) ?? 0) + 1);
}

/** Any order of deeds by several workers, some of whom are late. */
export function jobsRandomCases(at: StoreUnderTest): void {
  let rounds = 0;

  verifies(
    'jobs:leased',
    'whatever workers do in whatever order, jobs are as a plain model has them, and end once',
    async () => {
      await nothingToDo(at.store.jobs);
      const property = fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 60 }),
        async (steps) => {
          const model = createJobsModel(() => at.clock.now());
          const round: Round = { principal: `r${++rounds}`, jobs: [], leases: [], ends: new Map() };
          try {
            for (const each of steps) {
              if (each.deed === 'wait') await at.lapse(each.value * WAIT_MS);
              const [said, expected] = [
                await act(at.store.jobs, each, round),
                await act(model, each, round),
              ];
              expect(leasedOrNot(said)).toEqual(leasedOrNot(expected));
              takeDown(round, each, said);
            }
            for (const id of round.jobs) {
              const job = await at.store.jobs.get(id, round.principal);
              expect(leasedOrNot(job)).toEqual(leasedOrNot(model.get(id, round.principal)));
              expect(round.ends.get(id) ?? 0).toBe(job?.finishedAt === null ? 0 : 1);
            }
            for (const filter of [{}, { open: true }] as const) {
              const rows = await at.store.jobs.list(round.principal, 100, filter);
              expect(rows).toEqual(model.list(round.principal, 100, filter));
            }
          } finally {
            for (const id of round.jobs) await at.store.jobs.cancel(id, round.principal);
          }
        },
      );
      await fc.assert(property, { numRuns: 60 });
    },
    60_000,
  );

  verifies(
    'jobs:leased',
    'workers of two daemons that lapse, give back and ask at the same moment end each job once',
    async () => {
      await nothingToDo(at.store.jobs);
      const twin = await at.openTwin();
      const principal = `many${++rounds}`;
      const ids = Array.from({ length: 24 }, (_, n) => `job_${principal}_${n}` as const);
      await Promise.all(
        ids.map((id) => at.store.jobs.enqueue({ id, principal, tool: 't', input: null })),
      );
      const ends: string[] = [];
      const fences = new Map<string, number[]>();
      let hasFailed = false;
      const work = async ({ jobs }: Store, owner: string) => {
        for (let turn = 0; ends.length < ids.length && !hasFailed; turn++) {
          const job = await jobs.claim(owner, LEASE_MS);
          if (!job) {
            // What is left is held by others or lapsed: time goes on for all.
            await at.lapse(LEASE_MS);
            continue;
          }
          fences.set(job.id, [...(fences.get(job.id) ?? []), job.fence]);
          const lease = leaseOf(job);
          // By the fence and not by chance: each job is lapsed, given back and asked about before
          // it can end.
          if (job.fence === 1) continue;
          if (job.fence === 2) {
            await jobs.release(lease);
          } else if (job.fence === 3) {
            await jobs.ask(lease, turn);
            await jobs.answer(job.id, principal, answering(turn, null, 'queued'));
          } else if ((await jobs.finish(lease, { status: 'done', result: owner })) === 'kept') {
            ends.push(job.id);
          }
        }
      };
      const working = WORKERS.flatMap((name) => [
        work(at.store, `${name}1`),
        work(twin, `${name}2`),
      ]);
      try {
        await Promise.all(working);
      } finally {
        // When one fails, the others end before the database is gone.
        hasFailed = true;
        await Promise.allSettled(working);
        await twin.close();
      }
      expect(ends.toSorted()).toEqual(ids.toSorted());
      for (const given of fences.values()) expect(new Set(given).size).toBe(given.length);
      expect(await at.store.jobs.claim('late', LEASE_MS)).toBeUndefined();
    },
    60_000,
  );
}

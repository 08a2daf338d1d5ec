import type { Lease } from '#core/stores/jobs.ts';
import { EPOCH_MS } from './sim-process.ts';
import type { SimJobs } from './sim-jobs.ts';
import type { Plants } from './plants.ts';

/** Every so often, from the first on. */
function now(every: number): () => boolean {
  let count = 0;
  return () => count++ % every === 0;
}

const planted = (wrap: (store: SimJobs) => Partial<SimJobs>): Plants => ({
  jobStore: (store) => ({ ...store, ...wrap(store) }),
});

export const JOB_PLANTS = {
  /** Whoever finishes a job may, whether it is still theirs or not. */
  'unfenced-finish': (): Plants =>
    planted((store) => ({
      finish: async ({ jobId }, outcome) => {
        await store.force(jobId, { ...outcome, finishedAt: 1 });
        return 'kept';
      },
    })),
  /** Leases count by the clock of the daemon, which may be off. */
  'lease-by-own-clock': (): Plants => ({
    jobStore(store, clock) {
      const skewMs = () => clock.now() - EPOCH_MS - clock.monotonic();
      return {
        ...store,
        adopt: (job, owner, leaseMs) => store.adopt(job, owner, leaseMs + skewMs()),
        claim: (owner, leaseMs, passOver) => store.claim(owner, leaseMs + skewMs(), passOver),
        heartbeat: (lease, leaseMs, change) => store.heartbeat(lease, leaseMs + skewMs(), change),
      };
    },
  }),
  /** Its caller hears of a job that is not on disk yet. */
  'early-job': (): Plants =>
    planted((store) => ({
      adopt(job, owner, leaseMs) {
        void store.adopt(job, owner, leaseMs).catch(() => undefined);
        return Promise.resolve<Lease>({ jobId: job.id, fence: 1 });
      },
    })),
  'early-queue': (): Plants =>
    planted((store) => ({
      enqueue(job) {
        void store.enqueue(job).catch(() => undefined);
        return Promise.resolve();
      },
    })),
  /** Nobody counts how often a job was begun. */
  'second-run': (): Plants =>
    planted((store) => ({
      async claim(...args) {
        const record = await store.claim(...args);
        return record && { ...record, runs: 1 };
      },
    })),
  'lost-heartbeat': (): Plants => planted(() => ({ heartbeat: async () => 'kept' })),
  /** Work goes on from the beginning, or from long ago. */
  'lost-checkpoint': (): Plants =>
    planted((store) => ({
      async claim(...args) {
        const record = await store.claim(...args);
        return record && { ...record, checkpoint: null };
      },
    })),
  /** Nobody asks whose job it is. */
  'foreign-eyes': (): Plants =>
    planted((store) => ({
      get: async (id, principal) => (await store.get(id, principal)) ?? store.peek(id),
    })),
  /** What a dead daemon had is nobody's. */
  'no-orphans': (): Plants =>
    planted(() => ({
      orphan: async () => undefined,
      claim: async () => undefined,
    })),
  /** It is said to be cancelled, and goes on. */
  'feigned-cancel': (): Plants => {
    const isNow = now(2);
    return {
      jobs: (jobs) => ({
        ...jobs,
        cancel: async (principal, id) =>
          isNow() ? (await jobs.get(principal, id), 'cancelled') : jobs.cancel(principal, id),
      }),
    };
  },
  /** It is cancelled on disk, and its work is not told. */
  'cancelled-works-on': (): Plants => ({
    calls: (calls) => ({
      ...calls,
      start(request) {
        const running = calls.start(request);
        return {
          ...running,
          cancel: (error) => error?.message === 'The job was cancelled.' || running.cancel(error),
        };
      },
    }),
  }),
  'forgotten-waiter': (): Plants => {
    const isNow = now(3);
    return {
      jobs: (jobs) => ({
        ...jobs,
        wait: (...args) => (isNow() ? new Promise(() => undefined) : jobs.wait(...args)),
      }),
    };
  },
  /** A call is not handed off, and its caller waits on. */
  'no-hand-off': (): Plants => planted(() => ({ adopt: () => new Promise(() => undefined) })),
} as const satisfies Record<string, () => Plants>;

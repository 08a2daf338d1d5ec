import { isDeepStrictEqual } from 'node:util';
import type { CallRequest } from '#core/calls/calls.ts';
import type { JobRecord, JobStore } from '#core/stores/jobs.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';
import { HEARTBEAT_MS, LEASE_MS } from '#jobs/job-options.ts';
import type { Disk } from './disk.ts';
import type { DaemonFreeze } from './daemon-freeze.ts';
import type { JobBook } from './job-book.ts';
import { EPOCH_MS } from './sim-process.ts';
import { MAX_RECORD_MS } from './sim-store.ts';
import type { WatchedCall } from './watched-call.ts';
import type { Simulation } from './simulation.ts';

/** Of which job a call is the work, as long as this daemon may work on it. */
export interface HeldJob {
  readonly id: string;
  fence: number;
  /** Since when it may not. */
  lostAt: number;
}

/** Sees which jobs a daemon takes and begins, and whether it may. */
export interface JobWatch {
  wrapStore(store: JobStore): JobStore;
  /** A call starts. */
  started(call: WatchedCall, request: CallRequest): void;
  /** Its work begins, and with it that of all who ride along. */
  began(call: WatchedCall, like: readonly WatchedCall[], tool: Tool, context: ToolContext): void;
  /** What must be so after every event, of calls that have no answer yet. */
  check(open: Iterable<WatchedCall>): void;
}

export interface JobWatchOptions {
  readonly simulation: Simulation;
  readonly daemonFreeze: DaemonFreeze;
  readonly disk: Disk;
  readonly book: JobBook;
  readonly among: 'alone' | 'others';
  /** Every call of this daemon. */
  readonly calls: () => ReadonlyMap<string, WatchedCall>;
}

/** Until a heartbeat has told it. */
export const TOLD_WITHIN_MS = { alone: 5, others: HEARTBEAT_MS + 2 * MAX_RECORD_MS } as const;

export function createJobWatch(options: JobWatchOptions): JobWatch {
  const { simulation, daemonFreeze, disk, book } = options;
  let claimed: JobRecord | undefined;

  function hold(call: WatchedCall, id: string, fence: number): void {
    call.job = { id, fence, lostAt: Infinity };
    if (call.hasBegun && call.tool) book.began(id, call.tool);
  }

  function checkHeld(call: WatchedCall, job: HeldJob): void {
    const row = disk.jobs.get(job.id);
    if (row?.status === 'running' && row.fence === job.fence) {
      job.lostAt = Infinity;
      return checkLease(job, row.leaseUntil - EPOCH_MS);
    }
    job.lostAt = Math.min(job.lostAt, simulation.now);
    const deafUntil = Math.max(
      daemonFreeze.lastFrozenAt,
      Math.min(simulation.now, disk.wasUnwellAt),
    );
    const sinceMs = simulation.now - Math.max(job.lostAt, deafUntil);
    if (sinceMs > TOLD_WITHIN_MS[options.among])
      simulation.violate(
        'job-stops',
        `${call.reqId} goes on for ${job.id}, which is ${row?.status}`,
      );
  }

  /** It is renewed in time, unless nobody could. */
  function checkLease({ id }: HeldJob, until: number): void {
    const deafAt = Math.max(daemonFreeze.lastFrozenAt, Math.min(simulation.now, disk.wasUnwellAt));
    const wasHeld = simulation.now - deafAt < LEASE_MS;
    if (until < simulation.now && !wasHeld)
      simulation.violate('job-lease', `the lease of ${id} ran out at ${until} ms`);
  }

  return {
    wrapStore: (store) => ({
      ...store,
      async claim(...args) {
        claimed = await store.claim(...args);
        if (claimed)
          for (const { job } of options.calls().values())
            if (job?.id === claimed.id) job.fence = claimed.fence;
        return claimed;
      },
      async adopt(job, ...args) {
        const { reqId } = job.input as { readonly reqId: string };
        const holdAt = (fence: number) => {
          const call = options.calls().get(reqId);
          if (call) hold(call, job.id, fence);
        };
        try {
          const lease = await store.adopt(job, ...args);
          holdAt(lease.fence);
          return lease;
        } catch (thrown) {
          // Its own earlier write, of which nobody heard: it goes on with that one.
          const row = disk.jobs.get(job.id);
          if (row?.status === 'running') holdAt(row.fence);
          throw thrown;
        }
      },
    }),

    started(call, { transport }) {
      if (transport !== 'job') return;
      if (!claimed)
        return simulation.violate('job-claimed', `${call.mark} runs and was not claimed`);
      hold(call, claimed.id, claimed.fence);
    },

    began(call, like, tool, context) {
      for (const { job } of like) if (job) book.began(job.id, tool);
      if (!call.job || call.isShared) return;
      const { checkpoint = null } = disk.jobs.get(call.job.id) ?? {};
      if (!isDeepStrictEqual(context.resumedFrom ?? null, checkpoint) && call.transport === 'job')
        simulation.violate(
          'job-checkpoint',
          `${call.job.id} goes on from ${JSON.stringify(context.resumedFrom)}, not ${JSON.stringify(checkpoint)}`,
        );
    },

    check(open) {
      for (const call of open) if (call.job && call.state === 'open') checkHeld(call, call.job);
    },
  };
}

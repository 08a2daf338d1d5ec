import type { JobStatus } from '#core/stores/jobs.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { Disk, JobRow } from './disk.ts';
import { isOver } from './job-status.ts';
import { EPOCH_MS } from './sim-process.ts';
import type { ReceivedTask } from './client-protocols.ts';
import type { Simulation } from './simulation.ts';

/** What is known of the jobs of a simulation, over all of its daemons. */
export interface JobBook {
  /** A row is put on the disk. */
  stored(before: JobRow | undefined, after: JobRow): void;
  /** Somebody outside has heard of it: from now on it must not be lost. */
  told(id: string, by: string): void;
  /** A client that follows tasks was told how one stands. */
  taskTold(task: ReceivedTask): void;
  /** Somebody was told that it is cancelled. */
  cancelled(id: string): void;
  /** Its work begins. */
  began(id: string, tool: Tool): void;
  /** The daemon of this name is dead, and had no time to give back what it had. */
  killed(owner: string): void;
  /** Since when somebody who waits for it should know. */
  settledAt(id: string): number;
  /** Nothing happens any more. */
  checkEnd(): void;
}

interface Page {
  isTold: boolean;
  /** A daemon died that had it. */
  wasCutOff: boolean;
  begun: number;
  /** How often it asked. */
  rounds: number;
  settledAt: number;
}

export function createJobBook(simulation: Simulation, disk: Disk): JobBook {
  const pages = new Map<string, Page>();

  function pageOf(id: string): Page {
    let page = pages.get(id);
    if (!page) {
      page = { isTold: false, wasCutOff: false, begun: 0, rounds: 0, settledAt: Infinity };
      pages.set(id, page);
    }
    return page;
  }

  function checkChange(before: JobRow, after: JobRow): void {
    const { id } = after;
    if (isOver(before.status))
      simulation.violate('job-once', `${id} was ${before.status} and then became ${after.status}`);
    if (after.fence < before.fence)
      simulation.violate(
        'job-fence',
        `the fence of ${id} fell from ${before.fence} to ${after.fence}`,
      );
    if (stepOf(after) < stepOf(before) && !isOver(after.status))
      simulation.violate('job-checkpoint', `${id} was at step ${stepOf(before)}, and is no longer`);
    // Its lease ran out while its daemon was held: nobody knows how far it came.
    if (before.status === 'running' && after.owner !== before.owner)
      pageOf(id).wasCutOff ||= after.status === 'running';
    if (after.principal !== before.principal)
      simulation.violate('job-owner', `${id} of ${before.principal} is now of ${after.principal}`);
  }

  function checkOver(row: JobRow, page: Page): void {
    const { id, status, error, result } = row;
    if (status === 'cancelled' && result !== null)
      simulation.violate('job-cancelled', `${id} was cancelled and has a result`);
    if (status === 'done' && page.begun === 0)
      simulation.violate('job-done', `${id} is done, and nobody worked on it`);
    if (status === 'failed' && error?.class === 'cancelled')
      simulation.violate('job-cancelled', `${id} was cancelled, and ends as a failure`);
    const isInterrupted = error?.class === 'interrupted';
    // It could not be given back, either, where the disk was full.
    const wasKept = page.wasCutOff || EPOCH_MS + disk.wasUnwellAt >= row.createdAt;
    if (isInterrupted && page.begun === 0 && !wasKept)
      simulation.violate('job-interrupted', `${id} ends as interrupted, and was never begun`);
  }

  return {
    stored(before, after) {
      if (before) checkChange(before, after);
      const page = pageOf(after.id);
      if (after.status === 'input_required' && before?.status === 'running') page.rounds += 1;
      if (isOver(after.status)) checkOver(after, page);
      const isSettled = isOver(after.status) || after.status === 'input_required';
      page.settledAt = isSettled ? Math.min(page.settledAt, simulation.now) : Infinity;
      simulation.tell('disk', () => `${after.id} is ${after.status} ${after.error?.class ?? ''}`);
    },
    told(id, by) {
      if (!disk.jobs.has(id))
        simulation.violate('job-durable', `${by} is told of ${id}, which is not on disk`);
      pageOf(id).isTold = true;
    },
    taskTold({ id, status }) {
      const is = disk.jobs.get(id)?.status;
      const isTrue = TASK_STATUS[status]?.some((one) => one === is) ?? true;
      if (!isTrue)
        simulation.violate('job-truth', `the task ${id} is said to be ${status} and is ${is}`);
    },
    cancelled(id) {
      const status = disk.jobs.get(id)?.status;
      if (status !== 'cancelled')
        simulation.violate('job-cancelled', `${id} is said to be cancelled and is ${status}`);
    },
    began(id, tool) {
      const page = pageOf(id);
      page.begun += 1;
      if (!tool.resumable && page.begun > 1 + page.rounds)
        simulation.violate('job-again', `${tool.name} of ${id} runs again, though it ran before`);
    },
    killed(owner) {
      for (const row of disk.jobs.values())
        if (row.status === 'running' && row.owner === owner) pageOf(row.id).wasCutOff = true;
    },
    settledAt: (id) => pageOf(id).settledAt,
    checkEnd() {
      for (const [id, { isTold }] of pages) {
        const row = disk.jobs.get(id);
        if (isTold && !row) simulation.violate('job-lost', `${id} was told of and is not on disk`);
        if (row && !isOver(row.status))
          simulation.violate('job-ends', `${id} is ${row.status} at the end`);
      }
    },
  };
}

/** What a job must be of which this is said. */
const TASK_STATUS: Readonly<Record<string, readonly JobStatus[]>> = {
  completed: ['done', 'failed'],
  failed: ['done', 'failed'],
  cancelled: ['cancelled'],
};

/** How far the tools of the simulation say that they are. */
function stepOf({ checkpoint }: JobRow): number {
  const { step = 0 } = (checkpoint ?? {}) as { readonly step?: number };
  return step;
}

import { CallError } from '#core/errors/call-error.ts';
import type { Job } from '#core/calls/jobs.ts';
import type { JobStatus, JobSummary } from '#core/stores/jobs.ts';
import { HEARTBEAT_MS } from '#jobs/job-options.ts';
import type { Disk } from './disk.ts';
import type { DaemonFreeze } from './daemon-freeze.ts';
import type { JobBook } from './job-book.ts';
import { isJobTool } from './job-tools.ts';
import { isOver } from './job-status.ts';
import { MAX_RECORD_MS } from './sim-store.ts';
import type { Simulation } from './simulation.ts';

/** Somebody waited for a job. */
export interface FetchSight {
  readonly name: string;
  readonly id: string;
  readonly mark: string;
  readonly forMs: number;
  readonly whose: 'own' | 'theirs' | 'nobodys';
  readonly startedAt: number;
  readonly frozenBeforeMs: number;
  /** As it stood on the disk when they began to. */
  readonly statusBefore: JobStatus | undefined;
  readonly daemons: 1 | 2;
  readonly simulation: Simulation;
  readonly daemonFreeze: DaemonFreeze;
  readonly disk: Disk;
  readonly jobBook: JobBook;
}

/**
 * News of what another daemon did come so much later: by the next look, or by the next heartbeat.
 */
const NEWS_MS = { 1: 2000, 2: HEARTBEAT_MS + MAX_RECORD_MS } as const;
const MOMENT_MS = 5;

/** Whether what they were told of it is so, and was told in time. */
export function checkFetched(given: Job | CallError, sight: FetchSight): void {
  const { name, id, whose, simulation } = sight;
  if (given instanceof CallError) {
    const isExpected = whose !== 'own' && given.class === 'not_found';
    if (!isExpected) simulation.violate('job-refused', `${name} is refused ${id}: ${given.class}`);
    return;
  }
  simulation.tell(name, () => `${id} is ${given.status}`);
  if (whose !== 'own') simulation.violate('job-foreign', `${name} sees ${id} of somebody else`);
  checkTime(sight);
  checkTruth(given, sight);
}

function checkTime(sight: FetchSight): void {
  const { name, id, forMs, startedAt, frozenBeforeMs, simulation, daemonFreeze, jobBook } = sight;
  const tookMs = simulation.now - startedAt - (daemonFreeze.frozenMs - frozenBeforeMs);
  if (tookMs > forMs + MOMENT_MS)
    simulation.violate(
      'job-wait',
      `${name} waits ${tookMs} ms for ${id}, and wanted to wait ${forMs}`,
    );
  const since = Math.max(jobBook.settledAt(id), startedAt, daemonFreeze.lastFrozenAt);
  if (simulation.now - since > NEWS_MS[sight.daemons] + MAX_RECORD_MS)
    simulation.violate(
      'job-wait',
      `${name} hears of ${id} ${simulation.now - since} ms after it happened`,
    );
}

function checkTruth(job: Job, sight: FetchSight): void {
  const { id, mark, statusBefore, simulation, disk } = sight;
  const { status, answer } = job;
  const now = disk.jobs.get(id)?.status;
  if (isOver(status) && status !== now)
    simulation.violate('job-truth', `${id} is said to be ${status} and is ${now}`);
  if (statusBefore && isOver(statusBefore) && status !== statusBefore)
    simulation.violate('job-truth', `${id} was ${statusBefore} and is said to be ${status}`);
  if (status === 'cancelled' && answer)
    simulation.violate('job-cancelled', `${id} was cancelled and has an answer`);
  if (
    status === 'done' &&
    isJobTool(job.tool) &&
    job.tool !== 'sift' &&
    answer?.text !== `done for ${mark}`
  )
    simulation.violate('job-text', `${id} of ${mark} is answered ${answer?.text}`);
  if (status === 'failed' && !answer?.error)
    simulation.violate('job-truth', `${id} has failed and does not say how`);
  if (status === 'input_required' && Object.keys(job.pendingInput?.questions ?? {}).length === 0)
    simulation.violate('job-asks', `${id} waits for an answer and asks nothing`);
}

export function checkListed(
  rows: readonly JobSummary[],
  sight: {
    readonly name: string;
    readonly principal: string;
    readonly disk: Disk;
    readonly simulation: Simulation;
  },
): void {
  const { name, principal, disk, simulation } = sight;
  const own = [...disk.jobs.values()].filter((row) => row.principal === principal);
  for (const row of rows)
    if (row.principal !== principal)
      simulation.violate('job-foreign', `${name} is shown ${row.id} of ${row.principal}`);
  if (rows.length !== Math.min(own.length, 100))
    simulation.violate('job-list', `${name} is shown ${rows.length} of ${own.length} jobs`);
}

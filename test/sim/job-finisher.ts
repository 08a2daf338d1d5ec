import type { Book } from './book.ts';
import type { Disk, JobRow } from './disk.ts';
import type { Host } from './host.ts';
import { patiently } from './daemon-freeze.ts';
import type { KnownJob } from './job-client.ts';
import type { JobsPlan } from './job-plan.ts';
import { isOver } from './job-status.ts';
import type { Simulation } from './simulation.ts';

/** Sees every job to its end when nobody is there any more who would. */
export interface JobFinisher {
  readonly isNeeded: boolean;
  bury(): Promise<void>;
}

export interface JobFinisherOptions {
  readonly simulation: Simulation;
  readonly disk: Disk;
  readonly book: Book;
  readonly board: readonly KnownJob[];
  readonly host: Host;
  readonly plan: JobsPlan;
}

/** A job of a model that thinks has up to 15 minutes (`callTimeMs`). */
const PATIENCE_MS = 960_000;
const TICK_MS = 700;

export function createJobFinisher(options: JobFinisherOptions): JobFinisher {
  const { simulation, disk, host, plan } = options;
  const open = () => [...disk.jobs.values()].filter(({ status }) => !isOver(status));

  /** Every other is answered, the others are cancelled. */
  async function end(row: JobRow, nth: number): Promise<void> {
    const { daemon, daemonFreeze, isChanging } = host;
    if (!daemon || daemonFreeze.isFrozen || isChanging) return;
    const { id, principal } = row;
    const { jobs } = daemon.jobDoor;
    const job = await jobs.get(principal, id);
    const mark = markOf(row);
    if (nth % 2 === 1 || !job.pendingInput) return void (await jobs.cancel(principal, id));
    const answers = Object.fromEntries(
      Object.keys(job.pendingInput.questions).map((name) => {
        const answer = { action: 'accept', content: { word: `last-${id}-${name}` } };
        options.book.answered(mark, name, answer);
        return [name, answer];
      }),
    );
    await jobs.answer(principal, id, job.pendingInput.round, answers);
  }

  return {
    get isNeeded() {
      return open().length > 0;
    },
    async bury() {
      const tooLong = patiently(
        simulation,
        host.daemonFreeze,
        plan.times.timeoutMs + PATIENCE_MS,
        () => {
          const left = open().map(({ id, status }) => `${id} ${status}`);
          simulation.violate('job-ends', `these do not end: ${left.join(', ')}`);
        },
      );
      while (open().length > 0) {
        const asking = open().filter(({ status }) => status === 'input_required');
        // A full disk refuses; then it is tried again.
        for (const [nth, row] of asking.entries()) void end(row, nth).catch(() => undefined);
        await new Promise<void>((resolve) => void simulation.after(TICK_MS, resolve));
      }
      tooLong.stop();
    },
  };
}

function markOf({ input }: JobRow): string {
  const { args } = input as { args: { _request_metadata?: { geo_location?: string } } };
  return args._request_metadata?.geo_location ?? '';
}
